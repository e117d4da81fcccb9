/** The charts that the server sends: `Chart.to_dict()` of `privet.report.charts`. */

export interface Series {
  name: string;
  values: number[];
  errors: number[] | null;
  /** Between which ends a value can lie; older releases do not say. */
  within?: [number | null, number | null];
}
interface Common {
  title: string;
  x: string;
  y: string;
  note: string;
  table: { header: string[]; rows: string[][] };
}
export interface Bars extends Common {
  kind: "bars";
  labels: string[];
  series: Series[];
}
export interface Lines extends Common {
  kind: "lines";
  at: number[];
  series: Series[];
  levels: [string, number][];
  log_x: boolean;
  /** The name of the line y = x, if it is drawn to compare with; older releases do not say. */
  diagonal?: string;
}
export interface Points extends Common {
  kind: "points";
  groups: string[];
  points: [number, number][][];
  errors: number[][] | null;
  sizes: number[][] | null;
  labels: string[][] | null;
  level: number | null;
}
export interface Heatmap extends Common {
  kind: "heatmap";
  rows: string[];
  columns: string[];
  values: number[][];
  error: number | null;
  diverging: boolean;
}
export interface Node {
  text: string;
  edge: string;
  children: Node[];
}
export interface Tree extends Common {
  kind: "tree";
  root: Node;
}
export type Chart = Bars | Lines | Points | Heatmap | Tree;

const KINDS = new Set(["bars", "lines", "points", "heatmap", "tree"]);

/** Whether something from the server is a chart that can be drawn here. */
export function isChart(value: unknown): value is Chart {
  return (
    typeof value === "object" &&
    value !== null &&
    "kind" in value &&
    typeof value.kind === "string" &&
    KINDS.has(value.kind)
  );
}
