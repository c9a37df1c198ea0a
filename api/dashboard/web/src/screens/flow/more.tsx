import { useState } from 'preact/hooks'
import type { FlowAnswer, Path, PerformanceRow } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { asError, call, type ApiError } from '../../core/call.ts'
import { profit, text } from '../../core/figures.ts'
import { count } from '../../core/format.ts'
import { t } from '../../core/text.ts'
import { flowWords } from '../../text/flow.ts'
import { recordWords } from '../../text/records.ts'
import { changes, type Change, type Flow } from './edit.ts'
import { changeText } from './text.ts'
import { InputField, wrongOf, type Wrong } from '../../parts/form.tsx'
import { Ask, Sheet } from '../../parts/sheet.tsx'
import { LoadingCard } from '../../parts/state.tsx'
import { toastAndReload } from '../../core/toast.ts'
import type { Book } from './book.ts'
import type { useDraft } from './draft.ts'

type FiguresProps = { rows: Map<string, PerformanceRow>; flow: Flow; error?: ApiError; again: () => void }

// PathFigures shows the figures of the window by path.
export function PathFigures({ rows, flow, error, again }: FiguresProps) {
  if (error && rows.size === 0) return <LoadingCard of={{ error, again }} height={200} />
  return (
    <section class="card clip">
      <div class="scroll" tabIndex={0} role="region" aria-label={flowWords.byPath}>
        <table aria-label={flowWords.byPath}>
          <thead>
            <tr>
              <th class="pad">{flowWords.path}</th>
              <th>{t.figures.names.clicks}</th>
              <th class="narrow-off">{t.figures.names.cr}</th>
              <th>{t.figures.names.profit}</th>
              <th class="narrow-off">{t.figures.names.roi}</th>
            </tr>
          </thead>
          <tbody>
            {flow.map(p => {
              const r = rows.get(p.id)
              return (
                <tr key={p.id}>
                  <td class="pad strong rest" title={p.name}>
                    {p.name}
                  </td>
                  <td>
                    {r ? (
                      r.clicks || !r.bot_clicks ? (
                        count(r.clicks)
                      ) : (
                        <span class="dim">{flowWords.bots(r.bot_clicks, count(r.bot_clicks))}</span>
                      )
                    ) : (
                      '—'
                    )}
                  </td>
                  <td class="narrow-off">{r ? text(r, 'cr') : '—'}</td>
                  <td class={'bold ' + (!r || !r.profit ? '' : r.profit < 0 ? 'bad' : 'good')}>{r ? profit(r.profit) : '—'}</td>
                  <td class="narrow-off">{r ? text(r, 'roi') : '—'}</td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
    </section>
  )
}

const ChangeList = ({ title, list }: { title: string; list: Change[] }) => (
  <div>
    <h3 class="strong">{title}</h3>
    <ul class="bullets">
      {list.length === 0 ? <li>{flowWords.nothingChanged}</li> : list.map((c, i) => <li key={i}>{changeText(c)}</li>)}
    </ul>
  </div>
)

// Conflict shows, side by side, the changes that another person saved and the unsaved changes here.
export function Conflict({ of: d, theirs, book }: { of: ReturnType<typeof useDraft>; theirs: FlowAnswer; book: Book }) {
  const theirChanges = changes(d.base, theirs.streams, book.known),
    close = () => d.setDialog(null)
  return (
    <Sheet
      title={flowWords.conflict}
      close={close}
      foot={
        <>
          <Button onClick={close} text={flowWords.later} />
          <span class="grow" />
          <Button onClick={d.adoptTheirs} text={flowWords.takeTheirs} />
          <Button look="danger" disabled={d.busy} onClick={() => void d.save(theirs.version)} text={flowWords.keepOwn} />
        </>
      }>
      <div class="body">
        <p>{flowWords.conflictText}</p>
        <div class="fields">
          <ChangeList title={flowWords.theirs} list={theirChanges} />
          <ChangeList title={flowWords.own} list={d.list} />
        </div>
      </div>
    </Sheet>
  )
}

// SaveAs saves a flow under a name, for other campaigns.
export function SaveAs({ paths, name, close }: { paths: Path[]; name: string; close: () => void }) {
  const [newName, setNewName] = useState(name),
    [wrong, setWrong] = useState<Wrong>()
  const send = () => call('POST /flows', { body: { name: newName, paths } }).then(() => toastAndReload(recordWords.saved(newName), 'flows'))
  return (
    <Ask title={flowWords.saveAs} go={t.parts.save} on={send} wrong={e => setWrong(wrongOf(asError(e), ['name']))} close={close}>
      <InputField label={t.overview.name} error={wrong?.text} value={newName} maxLength={255} on={setNewName} />
    </Ask>
  )
}
