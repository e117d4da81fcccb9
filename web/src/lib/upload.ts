/** A file becomes a data set: a place for it, its rows, and a draft of what is public. */

import { post, upload, word } from "../api/client";
import type { Dataset, Study } from "../api/types";

export async function openTable(file: File, studies: readonly Study[]): Promise<Dataset> {
  const own = studies.find((study) => study.role === "owner") ?? (await post<Study>("/studies", { name: "My tables", approval: false }));
  const name = file.name.replace(/\.[^.]+$/, "") || "table";
  const dataset = await post<Dataset>("/datasets", { study: own.id, name });
  await upload<Dataset>(`/datasets/${word(dataset.id)}/rows?filename=${word(file.name)}`, file);
  await post(`/datasets/${word(dataset.id)}/draft`, {});
  return dataset;
}
