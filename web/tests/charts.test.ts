import { expect, test } from "vitest";
import { svg } from "../src/charts/draw";
import { isChart, type Chart, type Lines } from "../src/charts/kinds";
import { height, option } from "../src/charts/option";

const common = { x: "x", y: "y", note: "", table: { header: [], rows: [] } };
const CHARTS: Chart[] = [
  { ...common, kind: "bars", title: "B", labels: ["well", "ill"], series: [{ name: "n", values: [8, 2], errors: [1, 1] }] },
  {
    ...common,
    kind: "lines",
    title: "L",
    at: [0.1, 1],
    series: [{ name: "accuracy", values: [0.5, 0.8], errors: [0.1, 0.05] }],
    levels: [["guess", 0.6]],
    log_x: true,
  },
  {
    ...common,
    kind: "points",
    title: "P",
    groups: ["a"],
    points: [[[1, 2], [3, 4]]],
    errors: [[0.1, 0.2]],
    sizes: [[5, 6]],
    labels: [["one", "two"]],
    level: 3,
  },
  { ...common, kind: "heatmap", title: "H", rows: ["r"], columns: ["c", "d"], values: [[-1, 1]], error: null, diverging: true },
  { ...common, kind: "tree", title: "T", root: { text: "age?", edge: "", children: [{ text: "ill", edge: "> 60", children: [] }] } },
];

test("the line y = x is drawn beside the curves, and named", () => {
  const plain = CHARTS[1] as Lines;
  const drawn = option({ ...plain, diagonal: "by chance" }) as { series: { name: string; data: number[][] }[]; legend: { data: string[] } };
  expect(drawn.series.at(-1)).toMatchObject({ name: "by chance", data: [[0.1, 0.1], [1, 1]] });
  expect(drawn.legend.data).toEqual(["accuracy", "by chance"]);
  expect(JSON.stringify(option(plain))).not.toContain("by chance");
});

test.each(CHARTS)("a chart of kind $kind is drawn as SVG", (chart) => {
  expect(isChart(chart)).toBe(true);
  expect(height(chart)).toBeGreaterThan(60);
  const text = svg(option(chart, { here: 0.5 }), 400, 300);
  expect(text).toMatch(/^<svg/);
  expect(text.match(/<path|<text|<circle/g)?.length ?? 0).toBeGreaterThan(2);
});

test("an error bar ends where a value can, and begins at one that lies beyond", () => {
  const [bars] = CHARTS;
  if (bars?.kind !== "bars") throw new Error("no bars");
  const series = [{ name: "n", values: [-5, 1], errors: [1, 2], within: [0, null] as [number, null] }];
  const drawn = option({ ...bars, series }) as { series: { data: number[][] }[] };
  expect(drawn.series.at(-1)?.data).toEqual([[0, -5, -4], [1, 0, 3]]);
});

test("a name with HTML in it is text in the drawing", () => {
  const [bars] = CHARTS;
  if (bars?.kind !== "bars") throw new Error("no bars");
  const text = svg(option({ ...bars, labels: ["<script>alert(1)</script>", "b"] }), 400, 300);
  expect(text).not.toContain("<script>");
});

test("what is too long for the box of a tree ends in dots", () => {
  const edge = "medication is neither statins nor any other of those that are known";
  const root = { text: "no", edge: "", children: [{ text: "ill", edge, children: [] }, { text: "well", edge: "age < 60", children: [] }] };
  const text = svg(option({ ...common, kind: "tree", title: "T", root }), 900, 200);
  expect(text).toContain("age &lt; 60");
  expect(text).toContain("medication is neither");
  expect(text).not.toContain("that are known");
});

test("figures in cells are left out where they would run into each other, and none is less than nothing", () => {
  const columns = Array.from({ length: 8 }, (_, i) => `c${i}`);
  const wide: Chart = { ...common, kind: "heatmap", title: "H", rows: ["r"], columns, values: [columns.map(() => -0.001)], error: null, diverging: true };
  expect(svg(option(wide), 700, 200)).toContain(">0.00<");
  expect(svg(option(wide), 700, 200)).not.toContain("-0.00");
  const large: Chart = { ...wide, values: [columns.map(() => -41.4321)] };
  expect(svg(option(large), 700, 200)).toContain(">-41.4<");
  expect(svg(option(wide, { narrow: true }), 320, 200)).not.toContain("0.00");
});

test("what is no chart is not drawn", () => {
  expect(isChart({ kind: "pie" })).toBe(false);
  expect(isChart(null)).toBe(false);
});
