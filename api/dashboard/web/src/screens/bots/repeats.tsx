import type { BotEntryRow, RepeatIPRow } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { call } from '../../core/call.ts'
import { canWrite } from '../../core/can.ts'
import { listOf } from '../../core/condition.ts'
import { ago } from '../../core/dates.ts'
import { count, country } from '../../core/format.ts'
import { touches, use, useAll } from '../../core/query.ts'
import { change, place } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { span } from '../../core/window.ts'
import { w } from '../../text/bots.ts'
import { Select } from '../../parts/form.tsx'
import { Empty, Loading } from '../../parts/state.tsx'
import { Table, type Column } from '../../parts/table.tsx'
import { failed, toast } from '../../core/toast.ts'
import { Two } from '../../parts/two.tsx'

const most = 500

// isDenial reports whether an entry denies single addresses for all campaigns.
const isDenial = (e: BotEntryRow) => e.list_type === 'deny' && e.attribute === 'ip' && e.operator === 'equals' && !e.campaign_id

// Repeats shows the IP addresses that clicked often in the window.
export function Repeats() {
  const least = place.value.query.get('hits') ?? '5',
    window = { from: span.value.from, to: span.value.to },
    listed = useAll('GET /bot-lists', window).rows,
    denied = new Set(listed?.filter(isDenial).flatMap(e => listOf(e.value).map(String))),
    may = canWrite()
  const { data, error, again } = use('GET /logs/repeat-ips', { ...window, min_hits: least, limit: most })
  const deny = async (ip: string) => {
    try {
      const entry = await call('POST /bot-lists', { body: { list_type: 'deny', attribute: 'ip', value: ip } })
      toast(w.denied(ip), {
        undo: () => call('DELETE /bot-lists', { query: { id: entry.id } }).then(() => touches('bot-lists', 'bot-detection'), failed),
      })
      touches('bot-lists', 'bot-detection')
    } catch (e) {
      failed(e)
    }
  }
  const columns: Column<RepeatIPRow>[] = [
    {
      name: 'ip',
      label: t.dimensions.ip,
      left: true,
      phone: true,
      kind: 'first',
      cell: r => <Two a={r.ip} b={[r.country && country(r.country), r.isp].filter(Boolean).join(' · ')} mono />,
    },
    { name: 'hits', label: t.figures.names.clicks, phone: true, cell: r => count(r.hits) },
    { name: 'bots', label: w.bots, cell: r => count(r.bot_clicks) },
    { name: 'visitors', label: w.visitors, cell: r => <span title={r.visitors > 3 ? w.many : undefined}>{count(r.visitors)}</span> },
    { name: 'agents', label: w.agents, cell: r => count(r.user_agents) },
    { name: 'campaigns', label: t.campaigns.title, cell: r => count(r.campaigns) },
    { name: 'last', label: w.last, cell: r => ago(r.last_seen) },
    {
      name: 'acts',
      label: '',
      phone: true,
      kind: 'more',
      width: 96,
      cell: r =>
        denied.has(r.ip) ? (
          <span class="tag bad">{w.isDenied}</span>
        ) : may ? (
          <Button look="sm" aria-label={w.denyOf(r.ip)} onClick={() => void deny(r.ip)} text={w.deny} />
        ) : null,
    },
  ]
  return (
    <>
      <div class="line filters">
        <span class="soft">{w.least}</span>
        <Select
          label={w.least}
          value={least}
          options={['2', '5', '10', '50', '100'].map(value => ({ value, label: w.atLeast(Number(value)) }))}
          on={v => change({ hits: v === '5' ? null : v }, true)}
        />
      </div>
      <section class="card report lists repeats">
        {!data ? (
          <Loading of={{ error, again }} height={260} />
        ) : data.rows.length === 0 ? (
          <Empty title={w.noRepeats} />
        ) : (
          <Table label={w.repeats} rows={data.rows} columns={columns} keyOf={r => r.ip} nameOf={r => r.ip} height={44} tall />
        )}
        {data && data.rows.length === most && <div class="statusbar">{w.reached(count(most))}</div>}
      </section>
    </>
  )
}
