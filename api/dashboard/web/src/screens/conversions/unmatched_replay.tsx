import { useEffect, useState } from 'preact/hooks'
import type { PostbacksReplayed } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { useBusy } from '../../core/busy.ts'
import { call, asError, type ApiError } from '../../core/call.ts'
import { count, spanText } from '../../core/format.ts'
import { task } from '../../core/jobs.ts'
import { t } from '../../core/text.ts'
import { span } from '../../core/window.ts'
import { Seg } from '../../parts/form.tsx'
import { Cancel, Sheet } from '../../parts/sheet.tsx'
import { Empty, Loading } from '../../parts/state.tsx'
import { Table } from '../../parts/table.tsx'
import { toastAndReload } from '../../core/toast.ts'
import { Two } from '../../parts/two.tsx'
import { w as correctionWords } from '../../text/corrections.ts'
import { w as said } from '../../text/reasons.ts'
import { unmatchedWords } from '../../text/unmatched.ts'

const w = { ...t.unmatched, ...unmatchedWords },
  most = 100 // the most postbacks that a dry run reads
const tones: Record<string, string> = { matched: 'good', unmatched: 'warn', refused: 'bad' }

// Replay shows the results that unmatched postbacks would have if they were processed again now. If the person agrees, it processes
// them again.
export function Replay({ network, name, close }: { network: string; name: string; close: () => void }) {
  const [preview, setPreview] = useState<PostbacksReplayed>(),
    [error, setError] = useState<ApiError>(),
    [filter, setFilter] = useState(''),
    [busy, start] = useBusy(),
    [reloads, setReloads] = useState(0)
  const query = { from: span.value.from, to: span.value.to },
    selection = network === 'all' ? {} : { network }
  useEffect(() => {
    const stop = new AbortController()
    setError(undefined)
    call('POST /logs/postbacks/replay', { query, body: { ...selection, dry_run: true }, signal: stop.signal }).then(setPreview, e => {
      if (!stop.signal.aborted) setError(asError(e))
    })
    return () => stop.abort()
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the dry run keeps the window that was chosen when it began
  }, [reloads])
  const run = () =>
    start(async () => {
      const answer = await task(t.exports.replay, 'POST /logs/postbacks/replay', { query, body: selection }, a => ({
        text: t.exports.replayed(count(a.replayed)),
        path: '/app/unmatched',
      }))
      toastAndReload(w.replayed(answer.replayed, count(answer.replayed)), 'logs', 'reports', 'stats')
      close()
    })
  const list = preview?.outcomes ?? [],
    shown = filter ? list.filter(o => o.result === filter) : list
  return (
    <Sheet
      title={w.check}
      close={close}
      foot={
        <>
          <span class="grow" />
          <Cancel close={close} />
          <Button look="primary" disabled={busy || !list.length} onClick={() => void run()} text={w.replayAll(list.length)} />
        </>
      }>
      <div class="body replay">
        <p class="soft">
          {w.dryText(name, spanText(span.value.span))}
          {list.length === most && ' ' + w.dryMany(most)}
        </p>
        {error || !preview ? (
          <Loading of={{ error, again: () => setReloads(n => n + 1) }} height={160} style="" />
        ) : list.length === 0 ? (
          <Empty title={w.nothing} />
        ) : (
          <>
            <Seg
              label={correctionWords.filter}
              value={filter}
              options={[
                { value: '', label: `${correctionWords.all} ${list.length}` },
                ...Object.keys(tones)
                  .filter(r => list.some(o => o.result === r))
                  .map(r => ({ value: r, label: `${w.results[r]} ${list.filter(o => o.result === r).length}` })),
              ]}
              on={setFilter}
            />
            <div class="report lists">
              <Table
                label={w.check}
                rows={shown}
                keyOf={o => o.id}
                nameOf={o => o.id}
                height={44}
                columns={[
                  {
                    name: 'result',
                    label: correctionWords.outcome,
                    left: true,
                    phone: true,
                    width: 120,
                    cell: o => <span class={'tag ' + tones[o.result]}>{w.results[o.result]}</span>,
                  },
                  {
                    name: 'reason',
                    label: t.clicks.sheet,
                    left: true,
                    phone: true,
                    cell: o => <Two a={o.click_id ?? '—'} b={said.of(o.reason)} mono />,
                  },
                ]}
              />
            </div>
          </>
        )}
      </div>
    </Sheet>
  )
}
