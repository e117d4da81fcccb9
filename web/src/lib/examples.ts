/** Examples of questions, with the table's own columns. They are made of what is public: names, kinds and bounds. */

import type { Column } from "../api/types";

export interface Example {
  words: string;
  sql: string;
}
const RESERVED = new Set(
  "all and as asc between by case count data desc distinct else end from group having in is join like limit not null on or order select sum table then union value values when where".split(" "),
);
const OFF = "left_out";

/** A column's name as SQL has it: in quotes where it is not a plain word. */
export function named(column: string): string {
  const plain = /^[A-Za-z_][A-Za-z0-9_]*$/.test(column) && !RESERVED.has(column.toLowerCase());
  return plain ? column : `"${column.replaceAll('"', '""')}"`;
}

export function examples(columns: readonly Column[], target: string | null): Example[] {
  const used = columns.filter((column) => column.kind !== OFF && !column.left_out);
  const numbers = used.filter((column) => column.kind !== "category");
  const categories = used.filter((column) => column.kind === "category");
  const number = numbers.find((column) => column.name !== target) ?? numbers[0];
  const other = categories.find((column) => column.name !== target);
  const group = categories.find((column) => column.name === target) ?? other;
  const found: Example[] = [{ words: "How many records are there?", sql: "SELECT COUNT(*) AS records FROM data" }];
  if (group) {
    found.push({
      words: `How many records by ${group.name}?`,
      sql: `SELECT ${named(group.name)}, COUNT(*) AS records FROM data GROUP BY ${named(group.name)}`,
    });
  }
  if (number) {
    const name = named(number.name);
    found.push({ words: `What is the mean ${number.name}?`, sql: `SELECT AVG(${name}) AS mean FROM data` });
    found.push({ words: `And the median?`, sql: `SELECT MEDIAN(${name}) AS median FROM data` });
    if (group) {
      found.push({
        words: `What is the mean ${number.name} by ${group.name}?`,
        sql: `SELECT ${named(group.name)}, AVG(${name}) AS mean FROM data GROUP BY ${named(group.name)}`,
      });
    }
    const middle = Math.round(((number.low ?? 0) + (number.high ?? 0)) / 2);
    found.push({
      words: `How many records have ${number.name} above ${middle}?`,
      sql: `SELECT COUNT(*) AS records FROM data WHERE ${name} > ${middle}`,
    });
  }
  if (group && other && other !== group) {
    found.push({
      words: `How do ${other.name} and ${group.name} go together?`,
      sql: `SELECT ${named(other.name)}, ${named(group.name)}, COUNT(*) AS records FROM data GROUP BY ${named(other.name)}, ${named(group.name)}`,
    });
  }
  return found;
}
