/** From a chart's values to what ECharts draws: one function per kind, all colours and sizes in one place. */

import type { EChartsCoreOption } from "echarts/core";
import type { Bars, Chart, Heatmap, Lines, Node, Points, Series, Tree } from "./kinds";

// Told apart by people who see colours differently, and on white with a contrast of 3 : 1 or more.
const COLOURS = ["#17614a", "#b4541a", "#1f568f", "#7a3f97", "#8a6d00", "#4c5a55"];
const INK = "#17231f";
const SOFT = "#4c5a55";
const LINE = "#d8dfda";
const TEXT = { fontFamily: "system-ui, 'DejaVu Sans', sans-serif", color: INK, fontSize: 12 };

// Names and figures of the axes count as part of the drawing, so that none is cut off.
const INSIDE = { outerBoundsMode: "same", outerBoundsContain: "all" };

export interface Band {
  at: number;
  low: number;
  high: number;
}

export interface Look {
  /** Where the reader stands on the x axis. */
  here?: number | undefined;
  /** A band with two edges of its own, behind the first line. */
  band?: readonly Band[] | undefined;
  /** Whether there is little room: names under a chart are set at a slant. */
  narrow?: boolean | undefined;
  /** Values of people who do not exist are drawn in violet. */
  madeUp?: boolean | undefined;
}

export function option(chart: Chart, look: Look = {}): EChartsCoreOption {
  const common = {
    animation: false,
    textStyle: TEXT,
    color: look.madeUp ? ["#63399b", ...COLOURS.slice(1)] : COLOURS,
  };
  switch (chart.kind) {
    case "bars":
      return { ...common, ...bars(chart, look) };
    case "lines":
      return { ...common, ...lines(chart, look) };
    case "points":
      return { ...common, ...points(chart) };
    case "heatmap":
      return { ...common, ...heatmap(chart, look) };
    case "tree":
      return { ...common, ...tree(chart) };
  }
}

/** How tall the drawing should be, in pixels. */
export function height(chart: Chart): number {
  if (chart.kind === "bars") {
    if (isScale(chart)) return 300;
    return Math.min(900, 70 + chart.labels.length * Math.max(24, 15 * chart.series.length + 8));
  }
  if (chart.kind === "heatmap") return Math.min(700, 110 + 34 * chart.rows.length + (isSlanted(chart, 60) ? slant(chart) : 0));
  if (chart.kind === "tree") return 24 + 52 * leaves(chart.root);
  return 300;
}

/** How wide it must be to be read, in pixels: what is wider than the page scrolls. */
export function least(chart: Chart): number {
  return chart.kind === "tree" ? (box(chart.root) + GAP) * depth(chart.root) : 0;
}

/** Whether the bars stand on a scale of numbers, as those of a histogram: they are drawn upright, side by side. */
function isScale(chart: Bars): boolean {
  return chart.labels.length >= 8 && chart.labels.every((label) => /^[−-]?\d|^missing$/.test(label));
}

const axis = (name: string): object => ({
  name,
  nameLocation: "middle",
  nameGap: 30,
  nameTextStyle: { ...TEXT, color: SOFT },
  axisLabel: { color: SOFT, hideOverlap: true, formatter: (value: number | string) => short(value) },
  axisLine: { lineStyle: { color: "#77857f" } },
  splitLine: { lineStyle: { color: LINE } },
});

const legend = (names: readonly string[]): object =>
  names.length > 1
    ? { legend: { show: true, type: "scroll", top: 0, left: 0, data: [...names], textStyle: TEXT, itemHeight: 10 } }
    : { legend: { show: false } };

function short(value: number | string, most = 28): string {
  if (typeof value === "string") return value.length > most ? `${value.slice(0, most - 1)}…` : value;
  return Number(value.toPrecision(4)).toLocaleString("en", { maximumFractionDigits: 6 });
}

/** Where a bin begins: there is no room for both ends under an upright bar. */
function start(label: string): string {
  return short(label.split(/ to | – /)[0] ?? label);
}

/** A figure in a cell, where there is little room: the table beside the chart has all of it. */
function inCell(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 1000) return short(value);
  if (Math.abs(value) >= 10) return short(Number(value.toPrecision(3)));
  return value.toFixed(2).replace(/^-(0\.00)$/, "$1");
}

/** A custom series that draws error bars: low, high and a cap at both ends. */
function whiskers(name: string, data: number[][], along: "x" | "y", shift: (width: number) => number): object {
  return {
    type: "custom",
    name,
    silent: true,
    z: 5,
    data,
    encode: along === "x" ? { x: [1, 2], y: 0 } : { x: 0, y: [1, 2] },
    renderItem: (_: unknown, api: CustomApi) => {
      const at = api.value(0);
      const low = along === "x" ? api.coord([api.value(1), at]) : api.coord([at, api.value(1)]);
      const high = along === "x" ? api.coord([api.value(2), at]) : api.coord([at, api.value(2)]);
      const size = api.size ? api.size([0, 1]) : [0, 0];
      const move = shift(Math.abs((along === "x" ? size[1] : size[0]) ?? 0));
      const cap = 4;
      const bar = { stroke: INK, lineWidth: 1.4 };
      const [lx = 0, ly = 0] = low;
      const [hx = 0, hy = 0] = high;
      const stroke = (x1: number, y1: number, x2: number, y2: number): object => ({
        type: "line",
        shape: { x1, y1, x2, y2 },
        style: bar,
      });
      const children =
        along === "x"
          ? [
              stroke(lx, ly + move, hx, hy + move),
              stroke(lx, ly + move - cap, lx, ly + move + cap),
              stroke(hx, hy + move - cap, hx, hy + move + cap),
            ]
          : [
              stroke(lx + move, ly, hx + move, hy),
              stroke(lx + move - cap, ly, lx + move + cap, ly),
              stroke(hx + move - cap, hy, hx + move + cap, hy),
            ];
      return { type: "group", children };
    },
  };
}

interface CustomApi {
  value(dimension: number): number;
  coord(point: number[]): number[];
  size?: (amount: number[]) => number[];
}

/** Where an error bar begins and ends: not beyond what the value can be. */
function ends(series: Series, place: number): [number, number] {
  const [value, error] = [series.values[place] ?? 0, series.errors?.[place] ?? 0];
  const [low, high] = series.within ?? [null, null];
  const [least, most] = [Math.max(value - error, low ?? -Infinity), Math.min(value + error, high ?? Infinity)];
  return [Math.min(value, least), Math.max(value, most)]; // noise may take the value itself further
}

function bars(chart: Bars, look: Look): EChartsCoreOption {
  const labels = [...chart.labels];
  const count = chart.series.length;
  const upright = isScale(chart);
  const band = upright ? 0.86 : 0.62; // of a category's room, shared by the series
  const values = { type: "value", ...axis(chart.y || chart.x), ...(upright ? { nameGap: 46 } : {}) };
  const names = {
    type: "category",
    data: labels,
    inverse: !upright,
    axisLabel: {
      color: INK,
      formatter: upright ? start : (label: string) => short(label, look.narrow ? 22 : 56),
      interval: upright || labels.length > 40 ? "auto" : 0,
      hideOverlap: upright,
    },
    axisTick: { show: false },
  };
  return {
    ...legend(chart.series.map((s) => s.name)),
    grid: { left: 8, right: 24, top: count > 1 ? 34 : 10, bottom: 10, ...INSIDE },
    xAxis: upright ? { ...names, name: chart.y ? chart.x : "", nameLocation: "middle", nameGap: 30 } : values,
    yAxis: upright ? values : names,
    series: [
      ...chart.series.map((s) => ({
        type: "bar",
        name: s.name,
        data: s.values,
        barWidth: `${(100 * band) / count}%`,
        barGap: "0%",
        silent: true,
      })),
      ...chart.series.flatMap((s, place) =>
        s.errors === null
          ? []
          : [
              whiskers(
                s.name,
                s.values.map((_, i) => [i, ...ends(s, i)]),
                upright ? "y" : "x",
                (width) => (place - (count - 1) / 2) * ((width * band) / count),
              ),
            ],
      ),
    ],
  };
}

/** An axis does not go on beyond what its values can be. */
function limit(chart: Lines): { max?: (seen: { max: number; min: number }) => number | null } {
  const high = chart.series[0]?.within?.[1] ?? null;
  if (high === null) return {};
  return { max: ({ max, min }) => (max > high - 0.15 * (max - min) ? high : null) };
}

function lines(chart: Lines, look: Look): EChartsCoreOption {
  const series: object[] = chart.series.flatMap((s, place) => {
    const colour = look.madeUp && place === 0 ? "#63399b" : COLOURS[place % COLOURS.length];
    const line = {
      type: "line",
      name: s.name,
      data: chart.at.map((x, i) => [x, s.values[i]]),
      symbolSize: chart.at.length > 40 ? 0 : 6,
      lineStyle: { width: 2.2, color: colour },
      itemStyle: { color: colour },
      silent: true,
      markLine: place === 0 ? marks(chart, look) : undefined,
    };
    const band =
      place === 0 && look.band
        ? look.band
        : s.errors?.map((_, i) => {
            const [low, high] = ends(s, i);
            return { at: chart.at[i] ?? 0, low, high };
          });
    if (!band) return [line];
    const edge = { type: "line", symbol: "none", silent: true, stack: `band ${place}`, stackStrategy: "all", lineStyle: { opacity: 0 } };
    return [
      { ...edge, name: `${s.name} low`, data: band.map(({ at, low }) => [at, low]) },
      {
        ...edge,
        name: `${s.name} band`,
        data: band.map(({ at, low, high }) => [at, high - low]),
        areaStyle: { color: colour, opacity: 0.18 },
      },
      line,
    ];
  });
  if (chart.diagonal) {
    const dashed = { color: SOFT, width: 1.5, type: "dashed" };
    series.push({ type: "line", name: chart.diagonal, data: chart.at.map((x) => [x, x]), symbol: "none", lineStyle: dashed, itemStyle: { color: SOFT }, silent: true });
  }
  const names = [...chart.series.map((s) => s.name), ...(chart.diagonal ? [chart.diagonal] : [])];
  return {
    ...legend(names),
    grid: { left: 8, right: look.here === undefined ? 30 : 42, top: names.length > 1 ? 38 : 24, bottom: 10, ...INSIDE },
    xAxis: { type: chart.log_x ? "log" : "value", ...axis(chart.x), scale: true },
    yAxis: { type: "value", ...axis(chart.y), nameGap: 46, scale: true, ...limit(chart) },
    series,
  };
}

function marks(chart: Lines, look: Look): object | undefined {
  // Names stand between the levels: below the lowest one there may be no room over the axis.
  const lowest = chart.levels.length > 1 ? Math.min(...chart.levels.map(([, value]) => value)) : -Infinity;
  const data: object[] = chart.levels.map(([name, value]) => ({
    yAxis: value,
    label: { formatter: name, position: value === lowest ? "insideStartTop" : "insideStartBottom", color: SOFT },
    lineStyle: { color: SOFT, type: "dashed" },
  }));
  if (look.here !== undefined) {
    data.push({
      xAxis: look.here,
      label: { formatter: "you are here", position: "end", distance: 5, color: INK, fontWeight: 600 }, // over the drawing
      lineStyle: { color: INK, type: "solid", width: 1.5 },
    });
  }
  return data.length ? { symbol: "none", silent: true, animation: false, data } : undefined;
}

function points(chart: Points): EChartsCoreOption {
  const largest = Math.max(1e-12, ...(chart.sizes ?? []).flat());
  const total = chart.points.reduce((sum, group) => sum + group.length, 0);
  const size = total > 2000 ? 3 : total > 200 ? 5 : 9;
  return {
    ...legend(chart.groups),
    grid: { left: 8, right: 24, top: chart.groups.length > 1 ? 38 : 16, bottom: 10, ...INSIDE },
    xAxis: { type: "value", ...axis(chart.x), scale: true },
    yAxis: { type: "value", ...axis(chart.y), nameGap: 42, scale: true },
    series: chart.groups.flatMap((name, g) => {
      const group = chart.points[g] ?? [];
      const sizes = chart.sizes?.[g];
      const labels = chart.labels?.[g];
      const dots = {
        type: "scatter",
        name,
        silent: true,
        data: group.map((point, i) => ({
          value: point,
          symbolSize: sizes ? 6 + 22 * Math.sqrt(Math.max(0, sizes[i] ?? 0) / largest) : size,
          label: labels && total <= 30 ? { show: true, formatter: labels[i], position: "right", color: INK } : undefined,
        })),
        labelLayout: { hideOverlap: true },
        markLine:
          g === 0 && chart.level !== null
            ? { symbol: "none", data: [{ yAxis: chart.level }], lineStyle: { color: SOFT }, label: { show: false } }
            : undefined,
      };
      const errors = chart.errors?.[g];
      if (!errors) return [dots];
      const data = group.map(([x, y], i) => [x, y - (errors[i] ?? 0), y + (errors[i] ?? 0)]);
      return [dots, whiskers(name, data, "y", () => 0)];
    }),
  };
}

/** Whether the names below a heatmap need more room than there is beside each other. */
function isSlanted(chart: Heatmap, letters: number): boolean {
  return chart.columns.length > 8 || chart.columns.reduce((sum, name) => sum + name.length + 2, 0) > letters;
}

/** How far slanted names reach down, in pixels. */
const slant = (chart: Heatmap): number => 3.6 * Math.min(28, Math.max(...chart.columns.map((name) => name.length)));

function heatmap(chart: Heatmap, look: Look): EChartsCoreOption {
  const cells = chart.values.flatMap((row, y) => row.map((value, x) => [x, y, value]));
  const values = chart.values.flat();
  const most = Math.max(1e-12, ...values.map(Math.abs));
  const low = chart.diverging ? -most : Math.min(0, ...values);
  const slanted = isSlanted(chart, look.narrow ? 24 : 60);
  const colours = chart.diverging
    ? ["#e0946a", "#f6e3d8", "#ffffff", "#d9e8f5", "#7fb0dc"]
    : look.madeUp
      ? ["#ffffff", "#d9c8ef", "#8f6ac0"]
      : ["#ffffff", "#bfe0d0", "#4f9d80"];
  return {
    grid: { left: 12, right: 12, top: chart.y ? 30 : 12, bottom: 10, ...INSIDE },
    xAxis: {
      type: "category",
      data: [...chart.columns],
      ...axis(chart.x),
      nameGap: slanted ? 24 + slant(chart) : 30,
      axisLabel: { color: INK, formatter: (value: number | string) => short(value), interval: 0, rotate: slanted ? 30 : 0 },
      splitLine: { show: false },
    },
    yAxis: {
      type: "category",
      data: [...chart.rows],
      inverse: true,
      ...axis(chart.y),
      nameGap: 10,
      nameLocation: "start",
      nameTextStyle: { ...TEXT, color: SOFT, align: "left" }, // over the cells: a long name is not cut off
      axisLabel: { color: INK, formatter: (value: number | string) => short(value) },
      splitLine: { show: false },
    },
    visualMap: { show: false, min: low, max: most, inRange: { color: colours } },
    series: [
      {
        type: "heatmap",
        data: cells,
        silent: true,
        itemStyle: { borderColor: "#fff", borderWidth: 2 },
        label: {
          show: cells.length <= 144 && chart.columns.length <= (look.narrow ? 6 : 9), // else they would run into each other
          color: INK,
          fontWeight: 600,
          formatter: ({ value }: { value: number[] }) => inCell(value[2] ?? 0),
        },
      },
    ],
  };
}

function leaves(node: Node): number {
  return node.children.length ? node.children.reduce((sum, child) => sum + leaves(child), 0) : 1;
}

function depth(node: Node): number {
  return 1 + Math.max(0, ...node.children.map(depth));
}

interface Branch {
  name: string;
  children: Branch[];
}

function branch(node: Node): Branch {
  const lines = [node.edge && `{edge|${plain(node.edge)}}`, plain(node.text)];
  return { name: lines.filter(Boolean).join("\n"), children: node.children.map(branch) };
}

/** A text without what would be read as a style. */
function plain(text: string): string {
  return text.replaceAll(/[{}|]/g, " ");
}

// Each node is a box; its branches leave it on the right.
const GAP = 36;
const MOST = 252;
const LETTER = 7.5; // of bold print; what is still too long ends in dots, and the table has all of it
// How much of the way to the next box a branch goes before it forks: boxes take at most seven eighths of it.
const FORK = "93%";

/** How wide the boxes of a tree are: as its longest line, within limits. */
function box(root: Node): number {
  return Math.min(MOST, Math.max(90, 26 + LETTER * longest(root)));
}

function longest(node: Node): number {
  return Math.max(node.text.length, node.edge.length, ...node.children.map(longest));
}

function tree(chart: Tree): EChartsCoreOption {
  const width = box(chart.root);
  const label = {
    position: "right",
    align: "left",
    verticalAlign: "middle",
    distance: -1,
    width: width - 16,
    overflow: "truncate",
    color: INK,
    fontSize: 12,
    lineHeight: 16,
    padding: [4, 8],
    backgroundColor: "#ffffff",
    borderColor: "#a9b8b0",
    borderWidth: 1,
    borderRadius: 5,
    rich: { edge: { fontWeight: 600, fontSize: 12, lineHeight: 16 } },
  };
  return {
    series: [
      {
        type: "tree",
        data: [branch(chart.root)],
        orient: "LR",
        left: 8,
        right: width + 4,
        top: 26,
        bottom: 26,
        silent: true,
        initialTreeDepth: -1,
        expandAndCollapse: false,
        symbol: "circle",
        symbolSize: 1,
        itemStyle: { color: COLOURS[0] },
        edgeShape: "polyline",
        edgeForkPosition: FORK,
        lineStyle: { color: "#77857f", width: 1.4 },
        label,
        leaves: { label },
      },
    ],
  };
}
