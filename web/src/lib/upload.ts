/** Files become a data set: a place for them, their rows, and a draft of what is public. */

import { post, upload, word } from "../api/client";
import type { Dataset, Study } from "../api/types";

/** What a file dialog offers: tables in one file, and the files of a study of genotypes. */
export const ACCEPTED = ".csv,.tsv,.xlsx,.arff,.basket,.parquet,.gz,.bed,.bim,.fam,.vcf,.pheno,.txt,.zip";

/** Send the files of one table, or of one study, and have a draft made of what is public. */
export async function send(dataset: string, files: readonly File[]): Promise<void> {
  for (const file of files) await upload<Dataset>(`/datasets/${word(dataset)}/rows?filename=${word(file.name)}`, file);
  await post(`/datasets/${word(dataset)}/draft`, {});
}

export async function openTable(files: readonly File[], studies: readonly Study[]): Promise<Dataset> {
  const own = studies.find((study) => study.role === "owner") ?? (await post<Study>("/studies", { name: "My tables", approval: false }));
  const name = files[0]?.name.replace(/\.[^.]+$/, "") || "table";
  const dataset = await post<Dataset>("/datasets", { study: own.id, name });
  await send(dataset.id, files);
  return dataset;
}
