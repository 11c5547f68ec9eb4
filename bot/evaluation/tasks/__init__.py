"""The tasks: one module each, which says what is scored and how."""
