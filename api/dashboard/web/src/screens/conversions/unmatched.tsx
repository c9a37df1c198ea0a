import { useState } from 'preact/hooks'
import type { NetworkRow, PostbackRow } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { canWrite } from '../../core/can.ts'
import { useNetworks } from '../../core/choices.ts'
import { dateOf } from '../../core/dates.ts'
import { count, hourOf } from '../../core/format.ts'
import { causeOf, causeText } from '../../core/incoming.ts'
import { useKeys } from '../../core/keys.ts'
import { useLog } from '../../core/log.ts'
import { change, place } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { span } from '../../core/window.ts'
import { Select } from '../../parts/form.tsx'
import { Icon } from '../../parts/icons.tsx'
import { LogRows } from '../../parts/log.tsx'
import { Empty } from '../../parts/state.tsx'
import { stepsOf } from '../../parts/stepper.tsx'
import type { Column } from '../../parts/table.tsx'
import { Two } from '../../parts/two.tsx'
import { useRowHeight } from '../../parts/virtual.ts'
import { Replay } from './unmatched_replay.tsx'
import { PostbackSheet } from './unmatched_sheet.tsx'
import { unmatchedWords } from '../../text/unmatched.ts'

const w = { ...t.unmatched, ...unmatchedWords },
  live = 10 // seconds between requests for new postbacks
const keys = [
  { key: 'J K', text: w.next },
  { key: 'O', text: w.open },
  { key: 'R', text: w.replayKey },
]

// Unmatched lists the postbacks that found no click, with the reason, the setting to correct, and a replay.
export function Unmatched() {
  const height = useRowHeight()
  const q = place.value.query,
    network = q.get('network') ?? 'all',
    open = q.get('postback'),
    [confirming, setConfirming] = useState(false)
  const networks = useNetworks() as NetworkRow[] | undefined,
    byID = new Map(networks?.map(n => [n.id, n]))
  const log = useLog('GET /logs/postbacks', { from: span.value.from, to: span.value.to, result: 'unmatched', network }, live),
    rows = log.rows,
    shown = rows?.find(r => r.id === open)
  const show = (id: string | null) => change({ postback: id }, true)
  const step = stepsOf(rows, rows?.findIndex(r => r.id === open) ?? -1, r => show(r.id))
  const canReplay = canWrite() && !!rows?.length
  useKeys(keys, e => {
    if (e.key === 'r' && canReplay) {
      setConfirming(true)
      return true
    }
  })
  const columns: Column<PostbackRow>[] = [
    {
      name: 'at',
      label: t.overview.time,
      left: true,
      phone: true,
      width: 110,
      cell: r => <Two a={hourOf(Date.parse(r.at))} b={dateOf(Date.parse(r.at))} />,
    },
    {
      name: 'cause',
      label: w.cause,
      left: true,
      phone: true,
      kind: 'first',
      cell: r => <Two a={causeText(causeOf(r, byID.get(r.network_id ?? '')?.postback_params))} b={r.network_name || w.none} />,
    },
    { name: 'request', label: w.request, left: true, cell: r => <Two a={r.query} b={w.toFrom(r.domain, r.ip)} mono /> },
  ]
  return (
    <>
      <div class="line filters">
        <Select
          label={t.conversions.network}
          value={network}
          options={[{ value: 'all', label: w.every }, ...(networks ?? []).map(n => ({ value: n.id, label: n.name }))]}
          on={v => change({ network: v === 'all' ? null : v, postback: null })}
        />
        <span class="grow" />
        {canWrite() && <Button look="primary" disabled={!canReplay} onClick={() => setConfirming(true)} text={w.check} letter="R" />}
      </div>
      <section class="card report lists clicklog even inbox">
        <LogRows
          log={log}
          label={w.title}
          columns={columns}
          nameOf={r => r.query}
          height={height}
          late={260}
          show={r => show(r.id)}
          empty={<Empty title={w.empty} icon={<Icon name="check" />} more={w.emptyMore} />}
        />
        {rows && rows.length > 0 && (
          <div class="statusbar">
            <span>{t.clicks.loaded(count(rows.length))}</span>
            {rows.some(r => r.sample) && <span class="wide">{w.sampled}</span>}
            <span class="grow" />
            <span class="wide">
              <kbd>J</kbd> <kbd>K</kbd> {t.reports.move}
            </span>
            <span class="wide">
              <kbd>R</kbd> {w.replayKey}
            </span>
          </div>
        )}
      </section>
      {shown && <PostbackSheet key={shown.id} of={shown} network={byID.get(shown.network_id ?? '')} close={() => show(null)} step={step} />}
      {confirming && (
        <Replay
          network={network}
          name={network === 'all' ? w.everyOf : (byID.get(network)?.name ?? t.conversions.network)}
          close={() => setConfirming(false)}
        />
      )}
    </>
  )
}
