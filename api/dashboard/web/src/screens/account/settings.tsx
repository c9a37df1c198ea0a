import type { Settings as Saved } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { Card, Fact } from '../../parts/card.tsx'
import { useAttempt } from '../../core/busy.ts'
import { asError, call } from '../../core/call.ts'
import { dateOf } from '../../core/dates.ts'
import { adopt } from '../../core/jobs.ts'
import type { Fields } from '../../core/merge.ts'
import { can, me } from '../../core/me.ts'
import { evictAnswers, use } from '../../core/query.ts'
import { locale } from '../../core/format.ts'
import { language, t } from '../../core/text.ts'
import { useUnsaved } from '../../core/unsaved.ts'
import { zones } from '../../core/zones.ts'
import { ComboField } from '../../parts/combobox.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Field, FormError, Seg, Switch, wrongOf, type Wrong, InputField, SelectField } from '../../parts/form.tsx'
import { useAsk } from '../../parts/ask.tsx'
import { Conflicts, useRecordDraft } from '../../parts/record_draft.tsx'
import { LoadingCard } from '../../parts/state.tsx'
import { handleSubmit } from '../../core/submit.ts'
import { toastAndReload } from '../../core/toast.ts'
import { settingsWords as w } from '../../text/account.ts'

const dateFormats = ['YYYY-MM-DD', 'DD.MM.YYYY', 'DD/MM/YYYY', 'MM/DD/YYYY', 'DD MMM YYYY']
type Draft = Pick<Saved, 'organizationName' | 'currency' | 'timezone' | 'dateFormat' | 'timeFormat' | 'assistants' | 'assistantChanges'>

const draftOf = ({ organizationName, currency, timezone, dateFormat, timeFormat, assistants, assistantChanges }: Saved): Draft => ({
  organizationName,
  currency,
  timezone,
  dateFormat,
  timeFormat,
  assistants,
  assistantChanges,
})
const labels: Record<keyof Draft, string> = {
  organizationName: w.name,
  currency: w.currency,
  timezone: w.timezone,
  dateFormat: w.dateFormat,
  timeFormat: w.timeFormat,
  assistants: w.assistants,
  assistantChanges: w.assistantChanges,
}
const names = Object.keys(labels)

const isZone = (tz: string) => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: tz })
    return true
  } catch {
    return false
  }
}
const isCurrency = (code: string) => /^[A-Z]{3}$/.test(code)

// Settings edits the name, the currency, the time zone and the formats of the account, and what assistants may do in it.
export function Settings() {
  const { data, error, again } = use('GET /settings', {})
  if (!data) return <LoadingCard of={{ error, again }} height={300} />
  return <Form saved={data} />
}

const fieldByCode = { invalid_timezone: 'timezone', invalid_currency: 'currency', rate_missing: 'currency' }

const explain = (e: unknown): Wrong => {
  const error = asError(e),
    found = wrongOf(error, ['organization_name', 'timezone', 'currency', 'assistant_changes'], fieldByCode),
    text = error.code === 'rate_missing' ? w.rateMissing : error.code === 'busy' ? w.busyText : found.text
  return { ...found, text }
}

function Form({ saved }: { saved: Saved }) {
  const {
      draft: fields,
      setDraft,
      base,
      changed: edited,
      conflicts,
      setConflicts,
      store,
      adoptTheirs,
    } = useRecordDraft(draftOf(saved), names),
    draft = fields as Draft,
    [question, ask] = useAsk(),
    { busy, wrong, setWrong, run } = useAttempt(explain),
    may = can('owner')
  const change = (d: Draft) => {
    setDraft(d)
    setWrong(undefined)
  }
  const changed = edited.length > 0,
    newCurrency = draft.currency !== saved.currency,
    isEmpty = use('GET /logs/clicks', newCurrency ? { limit: 1, from: '2020-01-01' } : null).data?.rows.length === 0
  useUnsaved(() => changed)
  const send = async (of: Fields, _: string[], match?: string) => {
    const draft = of as Draft
    const answer = await call('PATCH /settings', {
      match,
      body: {
        organization_name: draft.organizationName,
        currency: draft.currency,
        timezone: draft.timezone,
        date_format: draft.dateFormat,
        time_format: draft.timeFormat,
        assistants: draft.assistants,
        assistant_changes: draft.assistantChanges,
      },
    })
    me.value = await call('GET /app/api/session')
    if (answer.jobId) adopt(t.exports.currency(answer.currency), answer.jobId, t.exports.restated, '/app/reports')
    evictAnswers()
    toastAndReload(w.saved, 'settings')
  }
  const save = () =>
    run(() =>
      store(async () => {
        const now = await call('GET /settings')
        return { fields: draftOf(now), match: now.version }
      }, send),
    )
  const discard = () => {
    change(base as Draft)
    setConflicts([])
  }
  const submit = () => {
    if (!isCurrency(draft.currency)) return setWrong({ field: 'currency', text: t.fieldCodes.invalid_currency! })
    if (!isZone(draft.timezone)) return setWrong({ field: 'timezone', text: w.invalidZone })
    if (newCurrency && !isEmpty)
      ask({ title: w.restateTitle(saved.currency, draft.currency), text: w.restateText, go: w.restate, on: save })
    else void save()
  }
  return (
    <div class="grid settings">
      <section class="card narrow">
        {!may && <p class="part soft">{w.readOnly}</p>}
        {saved.jobId && (
          <p class="part warn" role="status">
            {w.running}
          </p>
        )}
        <form class="record" onSubmit={handleSubmit(submit)}>
          <fieldset disabled={!may || busy}>
            <div class="part">
              <Fields of={draft} set={fields => change({ ...draft, ...fields })} wrong={wrong} />
            </div>
            <div class="part">
              <Assistants of={draft} set={fields => change({ ...draft, ...fields })} wrong={wrong} />
            </div>
            {newCurrency && isEmpty && (
              <div class="part">
                <p class="soft">{w.restateNothing}</p>
              </div>
            )}
          </fieldset>
          <FormError wrong={wrong} />
          <Conflicts of={conflicts} labels={labels} adoptTheirs={adoptTheirs} />
          {may && (
            <div class="formfoot row">
              <span class="grow" />
              {changed && <Button look="quiet" onClick={discard} text={t.parts.discard} />}
              <Button type="submit" look="primary" disabled={!changed || busy} text={t.parts.save} />
            </div>
          )}
        </form>
      </section>
      <Example of={draft} siteKey={saved.siteKey} />
      {question}
    </div>
  )
}

function Fields({ of: draft, set, wrong }: { of: Draft; set: (change: Partial<Draft>) => void; wrong?: Wrong }) {
  const errorAt = (name: string) => (wrong?.field === name ? wrong.text : undefined)
  return (
    <div class="fields">
      <InputField
        label={w.name}
        error={errorAt('organization_name')}
        value={draft.organizationName}
        maxLength={200}
        required
        on={organizationName => set({ organizationName })}
      />
      <ComboField
        label={w.timezone}
        error={errorAt('timezone')}
        hint={
          <>
            {w.zoneHint} {isZone(draft.timezone) && w.zoneNow(timeText(Date.now(), draft))}
          </>
        }
        value={draft.timezone}
        choices={zones}
        on={timezone => set({ timezone: timezone || 'UTC' })}
      />
      <InputField
        label={w.currency}
        error={errorAt('currency')}
        hint={w.currencyHint}
        class="mono"
        value={draft.currency}
        maxLength={3}
        on={v => set({ currency: v.toUpperCase() })}
      />
      <SelectField
        label={w.dateFormat}
        value={draft.dateFormat}
        options={dateFormats.map(value => ({ value, label: `${value} · ${dateOf(Date.now(), value, zoneOf(draft))}` }))}
        on={dateFormat => set({ dateFormat })}
      />
      <Field label={w.timeFormat} group>
        {() => (
          <Seg
            label={w.timeFormat}
            value={draft.timeFormat}
            options={Object.entries(w.times).map(([value, label]) => ({ value, label }))}
            on={timeFormat => set({ timeFormat })}
          />
        )}
      </Field>
    </div>
  )
}

// Assistants switches /mcp on or off for the account, and limits how many changes each key and each connected assistant may make there
// in 24 hours.
const Assistants = ({ of: draft, set, wrong }: { of: Draft; set: (change: Partial<Draft>) => void; wrong?: Wrong }) => (
  <div class="fields">
    <Field label={w.assistants} hint={w.assistantsHint} group>
      {() => <Switch on={draft.assistants} set={assistants => set({ assistants })} label={w.assistantsOn} shown />}
    </Field>
    {draft.assistants && (
      <InputField
        label={w.assistantChanges}
        hint={w.assistantChangesHint}
        error={wrong?.field === 'assistant_changes' ? wrong.text : undefined}
        inputMode="numeric"
        value={String(draft.assistantChanges)}
        maxLength={4}
        on={v => set({ assistantChanges: Number(v.replace(/\D/g, '')) })}
      />
    )}
  </div>
)

// Example shows a time and an amount in the formats of the draft, a large number, and the site key for the account's own pages.
const Example = ({ of: draft, siteKey }: { of: Draft; siteKey: string }) => (
  <Card look="narrow" title={w.example}>
    <dl class="facts part" aria-live="polite">
      <dt>{w.moment}</dt>
      <dd class="num">
        {dateOf(Date.now(), draft.dateFormat, zoneOf(draft))} {timeText(Date.now(), draft)}
      </dd>
      <Fact
        name={w.amount}
        value={
          isCurrency(draft.currency) ? new Intl.NumberFormat(language, { style: 'currency', currency: draft.currency }).format(1234.5) : '—'
        }
        look="num"
      />
      <Fact name={w.count} value={new Intl.NumberFormat(language).format(1234567)} look="num" />
    </dl>
    <div class="part">
      <p class="soft">{w.siteKeyHint}</p>
      <Copy label={w.siteKey} text={siteKey} />
    </div>
  </Card>
)

const zoneOf = (d: Draft) => (isZone(d.timezone) ? d.timezone : 'UTC')
const timeText = (at: number, d: Draft) =>
  new Intl.DateTimeFormat(locale, { timeZone: zoneOf(d), hour: '2-digit', minute: '2-digit', hour12: d.timeFormat === '12h' }).format(at)
