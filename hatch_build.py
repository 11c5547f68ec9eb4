"""The wheel's build puts uPlot into the package: its code is not committed."""

import importlib.util
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class UPlotHook(BuildHookInterface):
    """Without npm the wheel is built all the same, and its dashboards have the pictures alone."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        path = Path(self.root) / "bot" / "dashboard" / "uplot.py"
        spec = importlib.util.spec_from_file_location("uplot", path)
        if spec is None or spec.loader is None:
            raise ImportError(path)
        uplot = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(uplot)
        files, why = uplot.find_uplot()
        if why:
            self.app.display_warning(f"the dashboard has no zoom: {why}")
        for name in files:
            target = f"bot/dashboard/{uplot.FOLDER.name}/{name}"
            build_data["force_include"][str(uplot.FOLDER / name)] = target
