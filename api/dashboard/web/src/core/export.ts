// Makes a file of a report or a log as a job.
import type { ExportAnswer, ExportBody } from '../api.gen.ts'
import { count } from './format.ts'
import { task } from './jobs.ts'
import { touches } from './query.ts'
import { t } from './text.ts'
import { span } from './window.ts'

export const fileOf = (url: string) => new URL(url, location.href).pathname

export async function makeExport(body: ExportBody): Promise<ExportAnswer> {
  const file = await task(
    t.exports.export(t.exports.kinds[body.kind ?? 'performance'] ?? ''),
    'POST /reports/exports',
    { query: { from: span.value.from, to: span.value.to }, body: { tz: span.value.tz, ...body } },
    a => ({ text: t.exports.result(a.row_count, count(a.row_count)), file: fileOf(a.download_url), path: '/app/exports' }),
  )
  touches('reports')
  return file
}
