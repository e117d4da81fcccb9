/** What the pages call the server's answers. The shapes are generated from OpenAPI, and a test keeps them so. */

import type { Schema, Value } from "../lib/form";
import type { components } from "./schema";

type Shapes = components["schemas"];

export type Account = Shapes["Account"];
export type Algorithm = Shapes["AlgorithmShown"];
export type AlgorithmInFull = Omit<Shapes["AlgorithmInFull"], "json_schema"> & { json_schema: Schema };
export type Amount = Shapes["AmountShown"];
export type Attack = Shapes["AttackShown"];
export type Column = Shapes["ColumnShape"];
export type Connection = Shapes["ConnectionShown"];
export type Dataset = Shapes["DatasetShown"];
export type Example = Shapes["ExampleShown"];
export type Experiment = Shapes["ExperimentShown"];
export type ExperimentInFull = Shapes["ExperimentInFull"];
export type ExperimentParts = Omit<Shapes["ExperimentParts"], "json_schema"> & { json_schema: Schema };
export type ExperimentPrice = Shapes["PriceShown"];
export type Family = Shapes["FamilyShown"];
export type FlowKind = Omit<Shapes["FlowKindShown"], "json_schema"> & { json_schema: Schema };
export type FlowKinds = Omit<Shapes["FlowKinds"], "head" | "part" | "kinds" | "beginning"> & {
  head: Schema;
  part: Schema;
  kinds: FlowKind[];
  beginning: Record<string, Value> | null;
};
export type FlowLooked = Shapes["FlowLooked"];
export type FlowStep = Shapes["FlowStepShown"];
export type Forecast = Shapes["ForecastShown"];
export type Genotypes = Shapes["GenotypesShown"];
export type History = Shapes["HistoryShown"];
export type Perturbation = Shapes["PerturbationShown"];
export type Plan = Shapes["PlanShown"];
export type Release = Shapes["ReleaseShown"];
export type ReleaseInFull = Shapes["ReleaseInFull"];
export type Run = Shapes["RunShown"];
export type Session = Shapes["SessionShown"];
export type Study = Shapes["StudyShown"];
export type TableSchema = Shapes["SchemaShape"];
export type UseCase = Omit<Shapes["UseCaseShown"], "json_schema"> & { json_schema: Schema };
export type Variants = Shapes["VariantsShown"];
export type Standing = Shapes["Standing"];
export type Token = Shapes["TokenShown"];
export type TokenMade = Shapes["TokenMade"];
export type User = Shapes["UserShown"];
export type Verified = Shapes["Verified"];
