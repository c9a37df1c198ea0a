import { useMemo, useState } from 'preact/hooks'
import type { ClickRow } from '../../api.gen.ts'
import { country, dayOf, hourOf, money } from '../../core/format.ts'
import { change, place } from '../../core/router.ts'
import { subsOf } from '../../core/subs.ts'
import { t } from '../../core/text.ts'
import { Seg, Switch } from '../../parts/form.tsx'
import { Log } from '../../parts/log.tsx'
import type { Column } from '../../parts/table.tsx'
import { Two } from '../../parts/two.tsx'
import { ClickSheet } from './sheet.tsx'
import type { TabProps } from '../../core/campaign.ts'

const every = 5 // seconds between requests for new clicks
const keys = [
  { key: 'J K', text: t.clicks.next },
  { key: 'O', text: t.clicks.openIt },
  { key: '/', text: t.clicks.find },
]

export const Clicks = () => <ClickLog />
export const CampaignClicks = ({ detail }: TabProps) => <ClickLog campaign={detail.campaign.id} />

// ClickLog shows the log of clicks, of all campaigns or of one.
function ClickLog({ campaign }: { campaign?: string }) {
  const converted = place.value.query.get('converted') === '1',
    [live, setLive] = useState(true),
    all = !campaign,
    columns = useMemo(() => columnsOf(all), [all])
  return (
    <Log
      row="GET /logs/clicks"
      query={{ ...(campaign ? { 'f.campaign_id': [campaign] } : {}), ...(converted ? { converted: '1' } : {}) }}
      every={open => (live && !open ? every : 0)}
      otherID="external_id"
      at="click"
      label={t.clicks.title}
      find={t.clicks.find}
      keys={keys}
      columns={columns}
      nameOf={r => r.click_id}
      rowClass={r => (r.is_bot ? 'faded' : '')}
      fixed={campaign && 'campaign_id'}
      filtered={converted}
      choice={
        <Seg
          label={t.clicks.which}
          value={converted ? '1' : ''}
          options={[
            { value: '', label: t.lists.all },
            { value: '1', label: t.clicks.converted },
          ]}
          on={v => change({ converted: v || null }, true)}
        />
      }
      beside={<Switch on={live} shown label={t.clicks.live} set={setLive} />}
      empty={{ title: t.clicks.empty, filtered: t.reports.emptyFiltered }}
      sheet={(id, step, close) => <ClickSheet key="sheet" id={id} close={close} step={step} />}
    />
  )
}

function columnsOf(all: boolean): Column<ClickRow>[] {
  const out: Column<ClickRow>[] = [
    {
      name: 'at',
      label: t.overview.time,
      left: true,
      phone: true,
      width: 96,
      cell: r => <Two a={timeOf(r.at)} b={dayOf(Date.parse(r.at))} />,
    },
    {
      name: 'from',
      label: t.clicks.from,
      left: true,
      phone: true,
      kind: 'first',
      cell: r => (
        <span class="row">
          <span class="cc">{r.country || '–'}</span>
          <Two
            a={[r.country ? country(r.country) : t.unknown, r.city].filter(Boolean).join(', ')}
            b={[t.devices[r.device_type] ?? r.device_type, r.os, r.browser].filter(Boolean).join(' · ')}
            phone={all ? [r.campaign_name ?? t.gone, t.devices[r.device_type] ?? r.device_type].filter(Boolean).join(' · ') : undefined}
          />
        </span>
      ),
    },
  ]
  if (all)
    out.push({
      name: 'campaign',
      label: t.dimensions.campaign_id,
      left: true,
      cell: r => <Two a={r.campaign_name ?? t.gone} b={r.source_name ?? ''} />,
    })
  out.push(
    {
      name: 'subs',
      label: t.clicks.subs,
      left: true,
      kind: 'subcol',
      cell: r => {
        const [first, ...rest] = subsOf(r).map(([sub, value]) => `${r.sub_names[sub] ?? t.dimensions[sub]}: ${value}`)
        return <Two a={first ?? '—'} b={rest.join(' · ')} />
      },
    },
    {
      name: 'to',
      label: t.clicks.to,
      left: true,
      cell: r => (
        <Two
          a={r.stream_name ?? t.trace.reasons[r.passed_reason] ?? t.absent.stream_id}
          b={[r.lander_name, r.offer_name].filter(Boolean).join(' › ') || r.destination}
        />
      ),
    },
    {
      name: 'tags',
      label: '',
      left: true,
      phone: true,
      width: 110,
      cell: r => (
        <span class="row wraps">
          {r.is_bot && (
            <span class="tag warn">
              {t.devices.bot} {r.bot_score}
            </span>
          )}
          {r.conversions > 0 && <span class="tag good">{t.clicks.conversions(r.conversions)}</span>}
        </span>
      ),
    },
    {
      name: 'cost',
      label: t.figures.names.cost,
      width: 90,
      cell: r => (r.cost ? money(r.cost, r.cost < 1 ? 4 : 2) : <span class="dim">—</span>),
    },
    {
      name: 'revenue',
      label: t.figures.names.revenue,
      width: 90,
      cell: r => (r.revenue ? <b>{money(r.revenue)}</b> : <span class="dim">—</span>),
    },
  )
  return out
}
// timeOf returns the time of a click with its seconds.
const timeOf = (at: string) => hourOf(Date.parse(at)).replace(/(\d\d:\d\d)/, `$1:${at.slice(17, 19)}`)
