import { useMemo, useState } from 'preact/hooks'
import type { CampaignRow } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { changeManyAndToast } from '../../core/bulk.ts'
import { call } from '../../core/call.ts'
import { canCreateCampaigns, canWrite } from '../../core/can.ts'
import { targetOfRecord } from '../../core/cost.ts'
import { groupingOf } from '../../core/grouping.ts'
import { inBatches } from '../../core/listing.ts'
import { touches, use, useAll } from '../../core/query.ts'
import { go, to } from '../../core/router.ts'
import { handleSubmit } from '../../core/submit.ts'
import { t } from '../../core/text.ts'
import { compares, span, windowQuery } from '../../core/window.ts'
import { useAsk } from '../../parts/ask.tsx'
import { useCostSheet } from '../../parts/cost_place.tsx'
import { copy } from '../../parts/copy.tsx'
import { Item } from '../../parts/menu.tsx'
import { Listing, type Action, type Bulk } from '../../parts/listing.tsx'
import { Uncounted } from '../../parts/uncounted.tsx'
import { failed, toast } from '../../core/toast.ts'
import { goLive, goLiveAll, patch, setStatus } from './change.ts'
import { EditMany } from './edit_many.tsx'
import { removalOf } from './remove.ts'

const figures = ['clicks', 'conversions', 'cr', 'cost', 'revenue', 'profit', 'roi'] as const

// clone copies campaigns, and opens the flow of a single copy.
async function clone(rows: CampaignRow[]) {
  const made: string[] = []
  const errors = await inBatches(rows, r =>
    call('POST /campaigns/{id}/clone', { path: { id: r.id } }).then(c => {
      made.push(c.id)
    }),
  )
  touches('campaigns')
  if (errors.length) failed(errors[0])
  if (made.length) toast(t.campaigns.cloned(made.length))
  if (made.length === 1) go(to(`/app/campaigns/${made[0]}/flow`))
}

// useCompared loads the figures of the campaigns in the window and in the window before, by campaign.
function useCompared() {
  const query = compares.value ? { ...windowQuery(), compare: 'previous', dimension: 'campaign_id', limit: 500 } : null,
    { data } = use('GET /reports/performance', query)
  return useMemo(() => data && new Map(data.rows.map(r => [r.dims.campaign_id ?? '', r])), [data])
}

export function Campaigns() {
  const pageOf = (r: CampaignRow) => to(`/app/campaigns/${r.id}/${r.clicks > 0 ? 'figures' : 'flow'}`) // the flow while there are no figures
  const list = useAll('GET /campaigns', { from: span.value.from, to: span.value.to })
  const [question, ask] = useAsk(),
    [editing, setEditing] = useState<{ rows: CampaignRow[]; done: () => void }>(),
    [costSheet, openCost] = useCostSheet(),
    compared = useCompared()
  const may = canWrite(),
    create = canCreateCampaigns()
  const actions: Action<CampaignRow>[] = [
    { label: t.campaigns.copyLink, key: 'y', on: r => void copy(r.tracking_url || r.url, t.campaigns.linkCopied) },
    { label: t.campaigns.report, on: r => go(to('/app/reports', { g: groupingOf(r.sub_names), 'f.campaign_id': r.id })) },
    { label: t.campaigns.itsClicks, key: 'l', on: r => go(to(`/app/campaigns/${r.id}/clicks`)) },
  ]
  if (may)
    actions.push(
      { label: t.lists.pause, key: 'p', on: r => void setStatus([r], 'paused'), if: r => r.status === 'active' },
      { label: t.lists.resume, key: 'p', on: r => void goLive(r), if: r => r.status !== 'active' },
      { label: t.campaigns.setCost, key: '$', on: r => openCost(targetOfRecord({ campaign: r.id }), r.name) },
      { label: t.lists.pin, on: r => void patch([r], () => ({ is_pinned: true }), t.campaigns.pinned(r.name)), if: r => !r.is_pinned },
      { label: t.lists.unpin, on: r => void patch([r], () => ({ is_pinned: false }), t.campaigns.unpinned(r.name)), if: r => r.is_pinned },
    )
  if (create) actions.push({ label: t.lists.clone, on: r => void clone([r]) })
  if (may)
    actions.push(
      { label: t.lists.archive, on: r => void setStatus([r], 'archived'), if: r => r.status !== 'archived' },
      { label: t.lists.remove, danger: true, on: r => ask(removalOf(r)) },
    )
  const bulk: Bulk<CampaignRow>[] = may
    ? [
        { label: t.lists.edit, keeps: true, on: (rows, done) => setEditing({ rows, done }) },
        { label: t.lists.pause, on: rows => void setStatus(rows, 'paused') },
        { label: t.lists.resume, on: rows => void goLiveAll(rows, ask) },
        {
          label: t.lists.addTag,
          on: () => undefined,
          menu: (rows, close) => (
            <WordMenu
              label={t.lists.tag}
              on={tag => {
                close()
                void changeManyAndToast('campaigns', rows, { add_tags: [tag] }, t.campaigns.tagged(rows.length, tag))
              }}
              known={[...new Set((list.rows ?? []).flatMap(r => r.tags))]}
            />
          ),
        },
        {
          label: t.lists.move,
          on: () => undefined,
          menu: (rows, close) => (
            <WordMenu
              label={t.lists.group}
              none
              on={group => {
                close()
                void changeManyAndToast('campaigns', rows, { group_name: group }, t.campaigns.moved(rows.length, group))
              }}
              known={[...new Set((list.rows ?? []).map(r => r.group_name).filter(Boolean))]}
            />
          ),
        },
        ...(create ? [{ label: t.lists.clone, on: (rows: CampaignRow[]) => void clone(rows) }] : []),
        { label: t.lists.archive, on: rows => void setStatus(rows, 'archived') },
      ]
    : []
  const isFirst = list.rows?.length === 0
  return (
    <>
      <Uncounted />
      <Listing
        label={t.campaigns.title}
        {...list}
        archived
        figures={[...figures]}
        compared={compared}
        path={pageOf}
        open={r => go(pageOf(r))}
        under={r => r.source_name || t.campaigns.noSource}
        setActive={may ? (r, on) => void (on ? goLive(r) : setStatus([r], 'paused')) : undefined}
        actions={actions}
        bulk={bulk}
        add={create ? { label: isFirst ? t.campaigns.start : t.campaigns.add, on: () => go(to('/app/campaigns/new')) } : undefined}
        empty={{ title: t.campaigns.empty, more: t.campaigns.emptyMore }}
      />
      {question}
      {editing && <EditMany {...editing} close={() => setEditing(undefined)} />}
      {costSheet}
    </>
  )
}

// WordMenu asks for a tag or a group, a new one or one of `known`. With `none`, a person can also choose no group.
function WordMenu({ label, on, known, none }: { label: string; on: (v: string) => void; known: string[]; none?: boolean }) {
  const [text, setText] = useState('')
  return (
    <>
      <form
        onSubmit={handleSubmit(() => {
          if (text.trim()) on(text.trim())
        })}>
        <label class="field">
          <span>{label}</span>
          <input class="input" maxLength={255} value={text} onInput={e => setText(e.currentTarget.value)} />
        </label>
        <Button type="submit" look="sm" text={t.reports.set} />
      </form>
      {known.slice(0, 30).map(k => (
        <Item key={k} on={() => on(k)}>
          {k}
        </Item>
      ))}
      {none && <Item on={() => on('')}>{t.lists.noGroup}</Item>}
    </>
  )
}
