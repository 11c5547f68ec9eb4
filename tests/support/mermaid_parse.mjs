// Reads a JSON list of diagrams on stdin; prints for each null, or why Mermaid refuses it.
import { JSDOM } from "jsdom";

const { window } = new JSDOM("");
globalThis.window = window;
globalThis.document = window.document;
const { default: mermaid } = await import("mermaid");

let input = "";
for await (const chunk of process.stdin) input += chunk;
const faults = [];
for (const text of JSON.parse(input)) {
  try {
    const { diagramType } = await mermaid.parse(text);
    faults.push(diagramType === "xychart" ? null : `is a ${diagramType}`);
  } catch (error) {
    faults.push(String(error.message ?? error));
  }
}
console.log(JSON.stringify(faults));
