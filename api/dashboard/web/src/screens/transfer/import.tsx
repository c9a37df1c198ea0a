import { useState } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { canWrite } from '../../core/can.ts'
import type { Head } from '../../core/csv.ts'
import { count } from '../../core/format.ts'
import { fields, type Kind, type Point } from '../../core/import.ts'
import { change, place } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { Skipped, Source } from '../../parts/csv.tsx'
import { Seg, Select, SelectField } from '../../parts/form.tsx'
import { Ask } from '../../parts/sheet.tsx'
import { Failed, Alert, EmptyCard, LoadingCard } from '../../parts/state.tsx'
import { w } from '../../text/import.ts'
import { Outcomes } from './import_outcomes.tsx'
import { useImportFile, useKnown, useRun, type ImportFile } from './import_run.ts'
import { w as correctionWords } from '../../text/corrections.ts'

const mostRows = 1000
const example = { offers: 'name,url,network,payout,country\n', links: 'slug,destination url,domain,name\n' } // columns as core/import.ts reads them

// Import creates offers or smartlinks from a file. It shows the result of each row before it creates anything.
export function Import() {
  const kind: Kind = place.value.query.get('kind') === 'links' ? 'links' : 'offers'
  const { known, room, error, again } = useKnown(kind),
    file = useImportFile(kind),
    { shown, stale, busy, fresh, made, dry, apply, stop, clear } = useRun(kind, file, known),
    [confirming, setConfirming] = useState(false)
  const { head, missing } = file
  if (!canWrite()) return <EmptyCard title={w.readOnly} />
  return (
    <div class="grid corrections imports">
      <section class="card">
        <header>
          <Seg
            label={w.kind}
            value={kind}
            options={(['offers', 'links'] as Kind[]).map(value => ({ value, label: w.kinds[value] }))}
            on={v => {
              if (!busy) {
                file.set('')
                change({ kind: v === 'links' ? v : null }, true)
              }
            }}
          />
          <span class="dim fine wide">{w.texts[kind]}</span>
        </header>
        <div class="part">
          <Source example={example[kind]} text={file.text} set={file.set} onFile={file.readFile} tooLarge={() => file.setTooLarge(true)} />
          {file.tooLarge && <Alert text={correctionWords.tooLarge} />}
          {head && <Columns of={head} kind={kind} file={file} />}
          {file.error && <Failed error={file.error} again={file.again} />}
          {error && !known && <Failed error={error} again={again} />}
          <div class="row wraps">
            <Button
              look={shown && !stale ? '' : 'primary'}
              disabled={busy || file.reading || !head || !known || missing.length > 0 || head.rows === 0 || head.rows > mostRows}
              onClick={dry}
              text={shown ? correctionWords.again : correctionWords.dry}
            />
            {shown && !stale && fresh > 0 && !busy && <Button look="primary" onClick={() => setConfirming(true)} text={w.apply(fresh)} />}
            {busy && <Button onClick={stop} text={w.stop} />}
            {shown && !busy && <Button look="quiet" onClick={clear} text={correctionWords.clear} />}
            {stale && !busy && (
              <span class="warn" role="status">
                {w.stale}
              </span>
            )}
          </div>
          {shown && !stale && fresh > 0 && room !== null && room < fresh && <Alert look="warn" text={w.room(room, kind)} />}
          {busy && shown && (
            <div role="status">
              <span class="hidden">{w.running}</span>
              <div class="meter" aria-hidden="true">
                <i style={`width:${(shown.done / Math.max(1, shown.done + fresh)) * 100}%`} />
              </div>
            </div>
          )}
        </div>
      </section>
      {shown ? (
        <div class={stale ? 'faded' : ''}>
          <Outcomes of={shown.rows} applied={made > 0 || busy} kind={kind} />
        </div>
      ) : (
        file.text && !known && !error && <LoadingCard of={{ error, again }} height={120} />
      )}
      {confirming && (
        <Ask
          title={w.askTitle}
          text={w.askText(fresh, kind)}
          go={w.go}
          close={() => setConfirming(false)}
          on={() => {
            void apply()
          }}
        />
      )}
    </div>
  )
}

// Columns shows the columns of the file, and the field that each is read as.
const Columns = ({ of: head, kind, file }: { of: Head; kind: Kind; file: ImportFile }) => (
  <div class="columns">
    <div class="row">
      <b>{t.reports.columns}</b>
      <span class="grow" />
      <span class="dim fine num">{correctionWords.rows(head.rows, count(head.rows))}</span>
    </div>
    <div class="maps">
      {head.header.slice(0, 40).map((c, i) => (
        <div key={i} class="map">
          <span class="cut mono" title={c.cell}>
            {c.cell || '—'}
          </span>
          <Select
            label={w.mapOf(c.cell || String(i + 1))}
            value={file.at[i] ?? ''}
            options={[
              { value: '', label: correctionWords.unknown },
              ...fields[kind]
                .filter(f => f.name === file.at[i] || !file.at.includes(f.name))
                .map(f => ({ value: f.name, label: w.fields[f.name] ?? f.name })),
            ]}
            on={v => file.setColumn(i, v)}
          />
        </div>
      ))}
    </div>
    {kind === 'offers' && (
      <SelectField
        label={w.point}
        hint={w.pointHint}
        value={file.point}
        options={[
          { value: '', label: w.points.ask },
          { value: '.', label: w.points.dot },
          { value: ',', label: w.points.comma },
        ]}
        on={v => file.setPoint(v as Point)}
      />
    )}
    <Skipped of={head} />
    {file.missing.map(f => (
      <Alert key={f.name} text={correctionWords.missing(w.fields[f.name] ?? f.name)} />
    ))}
    {head.rows > mostRows && <Alert text={w.tooMany(count(head.rows))} />}
  </div>
)
