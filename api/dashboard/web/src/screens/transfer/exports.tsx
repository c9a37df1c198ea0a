import { useState } from 'preact/hooks'
import type { ExportBody, ExportRow } from '../../api.gen.ts'
import { Button, Link } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { asError, call } from '../../core/call.ts'
import { canWrite } from '../../core/can.ts'
import { ago, dateTime } from '../../core/dates.ts'
import { fileOf, makeExport } from '../../core/export.ts'
import { count, spanText } from '../../core/format.ts'
import { isOpen, jobs } from '../../core/jobs.ts'
import { useKeys } from '../../core/keys.ts'
import { useAll } from '../../core/query.ts'
import { place, to } from '../../core/router.ts'
import { dimensionName, subKeys, useScopeNames } from '../../core/subs.ts'
import { t } from '../../core/text.ts'
import { span } from '../../core/window.ts'
import { toastAndReload } from '../../core/toast.ts'
import { FormError, wrongOf, type Wrong, InputField, SelectField } from '../../parts/form.tsx'
import { Ask, Foot, Sheet } from '../../parts/sheet.tsx'
import { Empty, Loading } from '../../parts/state.tsx'
import { Table, type Column } from '../../parts/table.tsx'
import { causeOfJob, JobIcon, Since } from '../../parts/tray.tsx'
import { Two } from '../../parts/two.tsx'

const w = t.exports
const bytes = (n: number) => (n < 1000 ? `${n} B` : n < 1e6 ? `${(n / 1e3).toFixed(1)} kB` : `${(n / 1e6).toFixed(1)} MB`)

// Exports lists the files of reports and logs, and the jobs.
export function Exports() {
  const { rows, whole, error, again } = useAll('GET /reports/exports', { limit: 100 }),
    [adding, setAdding] = useState(false),
    [removing, setRemoving] = useState<ExportRow>()
  const keys = [{ key: 'N', text: w.add }]
  useKeys(keys, e => {
    if (e.key === 'n') {
      setAdding(true)
      return true
    }
  })
  const columns: Column<ExportRow>[] = [
    { name: 'name', label: w.name, left: true, phone: true, kind: 'first', cell: r => <Two a={r.name} b={w.kinds[r.kind] ?? r.kind} /> },
    { name: 'rows', label: w.rows, width: 90, cell: r => <span class="num">{count(r.row_count)}</span> },
    { name: 'size', label: w.size, phone: true, width: 84, cell: r => <span class="num">{bytes(r.byte_size)}</span> },
    { name: 'made', label: w.made, left: true, width: 170, cell: r => <Two a={ago(r.created_at)} b={dateTime(r.created_at)} /> },
    { name: 'until', label: w.until, left: true, width: 150, cell: r => dateTime(r.expires_at) },
    {
      name: 'acts',
      label: '',
      phone: true,
      width: 96,
      cell: r => (
        <span class="row fileacts">
          <Link
            look="sm icon"
            href={fileOf(r.download_url)}
            download
            aria-label={w.downloadOf(r.name)}
            title={w.download}
            icon="download"
          />
          {canWrite() && (
            <Button
              look="sm quiet icon"
              aria-label={w.removeOf(r.name)}
              title={t.lists.remove}
              onClick={() => setRemoving(r)}
              icon="trash"
            />
          )}
        </span>
      ),
    },
  ]
  return (
    <div class="grid">
      <Card
        look="report lists files"
        title={w.files}
        beside={<Button look="primary" onClick={() => setAdding(true)} icon="plus" text={w.add} letter="N" />}>
        {!rows ? (
          <Loading of={{ error, again }} height={160} />
        ) : rows.length === 0 ? (
          <Empty title={w.empty} more={w.emptyMore} />
        ) : (
          <Table label={w.files} rows={rows} columns={columns} keyOf={r => r.id} nameOf={r => r.name} height={44} />
        )}
      </Card>
      <Jobs files={whole ? rows : undefined} />
      {adding && <Make close={() => setAdding(false)} />}
      {removing && (
        <Ask
          title={w.removeTitle}
          text={w.removeText(removing.name)}
          go={t.lists.remove}
          danger
          close={() => setRemoving(undefined)}
          on={() =>
            call('DELETE /reports/exports', { query: { id: removing.id } }).then(() => toastAndReload(w.removed(removing.name), 'reports'))
          }
        />
      )}
    </div>
  )
}

function Jobs({ files }: { files?: ExportRow[] }) {
  const list = jobs(),
    existingFiles = files && new Set(files.map(f => fileOf(f.download_url)))
  return (
    <Card title={w.jobs} note={w.jobsText}>
      {list.length === 0 ? (
        <p class="dim part">{w.noJobs}</p>
      ) : (
        <ul class="list jobs">
          {list.map(j => (
            <li key={j.key}>
              <JobIcon of={j} />
              <div class="grow">
                <div class="t" title={j.name}>
                  {j.name}
                </div>
                {(isOpen(j) || causeOfJob(j)) && (
                  <div class={'d wrap' + (j.status === 'failed' ? ' bad' : '')}>{isOpen(j) ? w.runsOn : causeOfJob(j)}</div>
                )}
                {isOpen(j) && (
                  <span class="meter wait" aria-hidden="true">
                    <i />
                  </span>
                )}
              </div>
              <span class="dim fine num nowrap">
                {isOpen(j) ? (
                  <Since of={j} />
                ) : (
                  <>
                    {w[j.status]} · {ago(new Date(j.at).toISOString())}
                  </>
                )}
              </span>
              {j.file && (!existingFiles || existingFiles.has(j.file)) ? (
                <Link look="sm" href={j.file} download text={w.download} />
              ) : j.path && j.path !== place.value.path && !isOpen(j) ? (
                <Link look="sm" href={to(j.path)} text={t.campaigns.openIt} />
              ) : null}
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

const groups = ['campaign_id', 'source_id', 'offer_id', 'lander_id', 'country', 'device_type', 'os', 'browser', 'date']

// Make asks for the contents of a new file, and makes it.
function Make({ close }: { close: () => void }) {
  const [kind, setKind] = useState<ExportBody['kind'] & string>('conversions'),
    [dimension, setDimension] = useState('campaign_id'),
    [bucket, setBucket] = useState<ExportBody['bucket'] & string>('day'),
    [name, setName] = useState(''),
    [wrong, setWrong] = useState<Wrong>(),
    names = useScopeNames([], [])
  const start = () => {
    const body = {
      kind,
      sub_names: true,
      ...(name.trim() ? { name: name.trim() } : {}),
      ...(kind === 'performance' ? { dimension } : kind === 'trends' ? { bucket } : {}),
    }
    makeExport(body).then(close, e => setWrong(wrongOf(asError(e), ['name'])))
  }
  return (
    <Sheet title={w.add} close={close} foot={<Foot close={close} look="primary" onClick={start} text={w.make} />}>
      <div class="body">
        <p class="soft">{w.addText(spanText(span.value.span))}</p>
        <div class="fields">
          <SelectField
            label={w.kind}
            value={kind}
            options={Object.entries(w.kinds)
              .filter(([value]) => value !== 'difference') // made on the screen of a source or a network
              .map(([value, label]) => ({ value, label }))}
            on={setKind}
          />
          {kind === 'performance' && (
            <SelectField
              label={w.by}
              value={dimension}
              options={[...groups, ...subKeys].map(value => ({ value, label: dimensionName(value, names) }))}
              on={setDimension}
            />
          )}
          {kind === 'trends' && (
            <SelectField
              label={w.bucket}
              value={bucket}
              options={Object.entries(w.buckets).map(([value, label]) => ({ value, label }))}
              on={setBucket}
            />
          )}
          <InputField
            label={t.overview.name}
            hint={w.namedHint}
            error={wrong?.field === 'name' ? wrong.text : undefined}
            value={name}
            maxLength={200}
            on={setName}
          />
        </div>
        <FormError wrong={wrong} />
      </div>
    </Sheet>
  )
}
