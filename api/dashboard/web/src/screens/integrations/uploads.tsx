import { useState } from 'preact/hooks'
import type { ConversionAction, SourceRow, SourceUploads, UploadKeys } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { Part } from '../../parts/card.tsx'
import { useBusy } from '../../core/busy.ts'
import { call } from '../../core/call.ts'
import { dateTime } from '../../core/dates.ts'
import { amount, count } from '../../core/format.ts'
import { me } from '../../core/me.ts'
import { to } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { w } from '../../text/integrations.ts'
import { Field, Input, MoneyInput, Seg, Select, Switch, InputField } from '../../parts/form.tsx'
import { toast } from '../../core/toast.ts'
import { mayConnect, showError } from '../../core/connect.ts'

// UploadSettings are the settings for uploading conversions to a platform.
export type UploadSettings = {
  conversions_enabled: boolean
  mode: string
  conversion_statuses: string[]
  conversion_action: string
  daily_cap_count: number | null
  daily_cap_value: number | null
  send_keys: boolean
}

type UploadProps = {
  source: SourceRow
  value: UploadSettings
  on: (v: UploadSettings) => void
  named: boolean // the platform needs the name of one of its conversion actions, not of an event
  actions: boolean // the platform's conversion actions can be looked up
  error?: string
}

// Upload edits the settings for uploading conversions. In shadow mode, shown as "On trial", nothing counts at the platform.
export function Upload({ source, value: v, on, named, actions, error }: UploadProps) {
  const set = (change: Partial<UploadSettings>) => on({ ...v, ...change })
  const turn = (status: string, yes: boolean) =>
    set({ conversion_statuses: yes ? [...v.conversion_statuses, status] : v.conversion_statuses.filter(s => s !== status) })
  return (
    <Part title={t.figures.conversions}>
      <div class="fields">
        <div class="across">
          <Switch shown on={v.conversions_enabled} set={conversions_enabled => set({ conversions_enabled })} label={w.source.tell} />
        </div>
        <Field label={w.source.mode} group>
          {() => (
            <Seg
              label={w.source.mode}
              value={v.mode}
              options={Object.entries(w.source.modes).map(([value, label]) => ({ value, label }))}
              on={mode => set({ mode })}
            />
          )}
        </Field>
        <Field label={w.source.statuses} group>
          {() => (
            <span class="row">
              {Object.entries(w.source.statusChoices).map(([status, label]) => (
                <Switch key={status} shown on={v.conversion_statuses.includes(status)} set={yes => turn(status, yes)} label={label} />
              ))}
            </span>
          )}
        </Field>
        <InputField
          label={w.source.capCount}
          type="number"
          min={1}
          value={v.daily_cap_count === null ? '' : String(v.daily_cap_count)}
          on={n => set({ daily_cap_count: n === '' ? null : Number(n) })}
        />
        <Field label={w.source.capValue}>
          {wired => (
            <MoneyInput
              wired={wired}
              currency={me.value!.account.currency}
              value={v.daily_cap_value}
              on={daily_cap_value => set({ daily_cap_value })}
            />
          )}
        </Field>
        <div class="across">
          <Switch shown on={v.send_keys} set={send_keys => set({ send_keys })} label={w.source.sendKeys} />
          <p class="dim">{w.source.sendKeysHint}</p>
        </div>
        <Action
          source={source}
          value={v.conversion_action}
          on={conversion_action => set({ conversion_action })}
          hint={named ? w.source.actionHint : w.source.eventHint}
          find={actions}
          error={error}
        />
      </div>
    </Part>
  )
}

type ActionProps = Pick<UploadProps, 'source' | 'error'> & { value: string; on: (v: string) => void; hint: string; find: boolean }

// Action edits the platform's name for a conversion. If `find` is set, existing conversion actions can be looked up, and a new one
// can be made.
function Action({ source, value, on, hint, find, error }: ActionProps) {
  const [actions, setActions] = useState<ConversionAction[]>(),
    [busy, run] = useBusy(),
    path = { id: source.id }
  const load = () =>
    run(async () => setActions((await call('GET /traffic-sources/{id}/integration/conversion-actions', { path })).actions), showError)
  const make = () =>
    run(async () => {
      const action = await call('POST /traffic-sources/{id}/integration/conversion-actions', { path, body: {} })
      toast(w.source.actionMade(action.name))
      on(action.resource_name ?? action.name)
      setActions(undefined)
    }, showError)
  return (
    <div class="across">
      <Field label={w.source.action} hint={actions?.length === 0 ? w.source.noActions : hint} error={error}>
        {wired =>
          actions?.length ? (
            <Select
              wired={wired}
              value={value}
              options={[{ value: '', label: t.parts.choose }, ...actions.map(a => ({ value: a.resource_name ?? a.name, label: a.name }))]}
              on={on}
            />
          ) : (
            <Input wired={wired} class="mono" maxLength={2000} value={value} on={on} />
          )
        }
      </Field>
      {find && mayConnect() && (
        <div class="row wraps actions">
          <Button look="sm" disabled={busy} onClick={() => void load()} text={w.source.findActions} />
          <Button look="sm" disabled={busy} onClick={() => void make()} text={w.source.makeAction} />
        </div>
      )}
    </div>
  )
}

// Keys shows the share of the latest conversions that have each kind of hashed personal data.
const Keys = ({ of: k }: { of: UploadKeys }) =>
  k.conversions > 0 ? (
    <>
      <h3 class="label">{w.source.keyShares(k.conversions)}</h3>
      <div class="row wraps">
        {k.keys.map(s => (
          <span key={s.key} class="tag">
            {w.source.keys[s.key] ?? s.key} {Math.round(s.share * 100)}%
          </span>
        ))}
      </div>
    </>
  ) : null

const toneOf = (result: string) => (result === 'rejected' ? 'bad' : result === 'accepted' ? 'good' : '')
const results = ['accepted', 'shadow', 'pending', 'skipped', 'rejected'] as const

// Uploads shows the number of conversions by the result of their upload, and the latest conversions with the reason of each result.
export const Uploads = ({ of: u }: { of: SourceUploads }) => (
  <Part title={w.source.uploads}>
    {u.stopped && (
      <p class="bad wrap" role="alert">
        {w.source.stopped}: {u.stopped}
      </p>
    )}
    {u.last_error && <p class="bad wrap">{u.last_error}</p>}
    {results.every(r => u[r] === 0) && <p class="dim">{w.runs.none}</p>}
    <div class="row wraps">
      {results
        .filter(r => u[r] > 0)
        .map(r => (
          <span key={r} class={'tag ' + toneOf(r)}>
            {count(u[r])} {w.source.results[r]}
          </span>
        ))}
    </div>
    <Keys of={u.match_keys} />
    {u.rows.length > 0 && (
      <ul class="list told">
        {u.rows.slice(0, 10).map(r => (
          <li key={r.id}>
            <div class="grow">
              <div class="t">
                <a class="link" href={to('/app/conversions', { find: r.click_id })}>
                  {r.goal || (t.conversions.statuses[r.status] ?? r.status)} · {amount(r.value, r.currency)}
                </a>
              </div>
              <div class="d wrap">
                {dateTime(r.happened_at)}
                {r.reason && ` · ${r.reason}`}
                {r.keys.length > 0 && ` · ${w.source.withKeys}: ${r.keys.map(k => w.source.keys[k] ?? k).join(', ')}`}
              </div>
            </div>
            <span class={'tag ' + toneOf(r.result)}>{w.source.results[r.result] ?? r.result}</span>
          </li>
        ))}
      </ul>
    )}
  </Part>
)
