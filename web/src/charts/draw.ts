/** ECharts, only what the five kinds of chart need; loaded when the first chart is shown.
 *
 * On the page it draws on a canvas: its SVG renderer writes `style` attributes, which the Content-Security-Policy
 * forbids. For the download it renders SVG as text, which never becomes part of the page.
 */

import { BarChart, CustomChart, HeatmapChart, LineChart, ScatterChart, TreeChart } from "echarts/charts";
import { GridComponent, LegendScrollComponent, MarkLineComponent, VisualMapComponent } from "echarts/components";
import { init, use, type EChartsCoreOption } from "echarts/core";
import { LabelLayout } from "echarts/features";
import { CanvasRenderer, SVGRenderer } from "echarts/renderers";

use([
  BarChart,
  CustomChart,
  HeatmapChart,
  LineChart,
  ScatterChart,
  TreeChart,
  GridComponent,
  LegendScrollComponent,
  MarkLineComponent,
  VisualMapComponent,
  LabelLayout,
  CanvasRenderer,
  SVGRenderer,
]);

export interface Drawing {
  show(option: EChartsCoreOption): void;
  resize(): void;
  close(): void;
}

export function draw(element: HTMLElement): Drawing {
  const chart = init(element, null, { renderer: "canvas" });
  return {
    show: (option) => chart.setOption(option, { notMerge: true }),
    resize: () => chart.resize(),
    close: () => chart.dispose(),
  };
}

export function svg(option: EChartsCoreOption, width: number, height: number): string {
  const chart = init(null, null, { renderer: "svg", ssr: true, width, height });
  chart.setOption({ ...option, backgroundColor: "#ffffff" });
  const text = chart.renderToSVGString();
  chart.dispose();
  return text;
}
