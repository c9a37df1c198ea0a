import type { DeliveryRow, WebhookRow } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { Part, Fact } from '../../parts/card.tsx'
import { useAttempt, useBusy } from '../../core/busy.ts'
import { asError, call } from '../../core/call.ts'
import { dateTime } from '../../core/dates.ts'
import { count } from '../../core/format.ts'
import type { Latest } from '../../core/latest.ts'
import type { Conflict } from '../../core/merge.ts'
import { touches } from '../../core/query.ts'
import { t } from '../../core/text.ts'
import { recordWords } from '../../text/records.ts'
import { w } from '../../text/webhooks.ts'
import { Copy } from '../../parts/copy.tsx'
import { editing, Field, FormError, wrongOf, type Wrong, InputField } from '../../parts/form.tsx'
import { Conflicts, useRecordDraft } from '../../parts/record_draft.tsx'
import { Cancel, Sheet, Shown } from '../../parts/sheet.tsx'
import { sentence } from '../../core/errors.ts'
import { asWritten } from '../../core/idn.ts'
import { Stepper, useLetters, type Steps } from '../../parts/stepper.tsx'
import { toast } from '../../core/toast.ts'

export const nameOf = (h: { name: string; url: string }) => h.name || asWritten(h.url.replace(/^https:\/\//, ''))

// redeliver sends a delivery again, and shows the result as a toast.
export async function redeliver(d: DeliveryRow) {
  try {
    const result = await call('POST /webhooks/deliveries/redeliver', { body: { id: d.id } })
    toast(result.delivered ? w.redelivered(result.status ?? 200) : w.notRedelivered(result.error ?? String(result.status ?? '')), {
      bad: !result.delivered,
    })
  } catch (e) {
    const error = asError(e)
    toast(error.code === 'in_progress' ? w.inProgress : sentence(error), { bad: true })
  }
  touches('webhooks')
}

const tones: Record<string, string> = { delivered: 'good', failed: 'bad', pending: 'warn' }
export const stateTag = (d: DeliveryRow) => <span class={'tag ' + tones[d.status]}>{w.states[d.status]}</span>

// nextTry returns the rough time until an attempt is due, as text.
export function nextTry(at: string) {
  const minutes = Math.ceil((Date.parse(at) - Date.now()) / 60000)
  return minutes < 1 ? t.overview.now : minutes < 100 ? w.inMinutes(minutes) : w.inHours(Math.round(minutes / 60))
}

type Draft = { url: string; name: string; events: string[] }
const draftOf = (h: WebhookRow | null): Draft =>
  h ? { url: h.url, name: h.name, events: h.events } : { url: '', name: '', events: ['conversion.created', 'conversion.updated'] }
const labels = { url: recordWords.fields.url, name: t.overview.name, events: w.events }
// eventsOf returns the other person's value of a conflict as text: the names of the events.
const eventsOf = ({ name, theirs }: Conflict) =>
  name === 'events' ? (theirs as string[]).map(e => w.eventNames[e] ?? e).join(', ') : undefined

type FormProps = { of: WebhookRow | null; events: string[]; close: () => void; made: (secret: string) => void }

// EndpointForm creates or changes an endpoint.
export function EndpointForm({ of: h, events, close, made }: FormProps) {
  const { draft, setDraft, changed, conflicts, store, adoptTheirs } = useRecordDraft(draftOf(h), ['url', 'name', 'events']),
    { url, name, events: chosen } = draft as Draft,
    { busy, wrong, setWrong, run } = useAttempt<Wrong>(e => {
      const error = asError(e)
      return { ...wrongOf(error, ['url', 'name', 'events']), ...(w.errors[error.code] ? { text: w.errors[error.code]! } : {}) }
    })
  const latest = async (): Promise<Latest | undefined> => {
    const now = (await call('GET /webhooks')).rows.find(r => r.id === h?.id)
    return now && { fields: draftOf(now), match: now.updatedAt }
  }
  const save = () =>
    run(() =>
      store(h ? latest : undefined, async (fields, _, match) => {
        const { url, name, events: chosen } = fields as Draft,
          body = { url: url.trim(), name, events: events.filter(e => chosen.includes(e)) }
        if (h) await call('PATCH /webhooks', { body: { id: h.id, ...body }, match })
        else made((await call('POST /webhooks', { body })).secret)
        touches('webhooks')
        if (h) toast(recordWords.saved(nameOf(body)))
        close()
      }),
    )
  const at = (field: string) => (wrong?.field === field ? wrong.text : undefined)
  const set = editing(setWrong)((change: Partial<Draft>) => setDraft(now => ({ ...now, ...change })))
  return (
    <Sheet title={h ? nameOf(h) : w.add} close={close} keep={() => changed.length > 0}>
      <form
        class="record"
        noValidate
        onSubmit={e => {
          e.preventDefault()
          void save()
        }}>
        <div class="part">
          <div class="fields">
            <div class="across">
              <InputField
                label={recordWords.fields.url}
                hint={w.addressHint}
                error={at('url')}
                class="mono"
                type="url"
                value={url}
                maxLength={500}
                placeholder="https://"
                spellcheck={false}
                on={url => set({ url })}
              />
            </div>
            <div class="across">
              <InputField label={t.overview.name} error={at('name')} value={name} maxLength={255} on={name => set({ name })} />
            </div>
            <div class="across">
              <Field label={w.events} group error={at('events')}>
                {() => (
                  <div class="checks">
                    {events.map(e => (
                      <label key={e} class="row">
                        <input
                          type="checkbox"
                          checked={chosen.includes(e)}
                          onChange={() =>
                            set({
                              events: chosen.includes(e) ? chosen.filter(o => o !== e) : events.filter(o => o === e || chosen.includes(o)),
                            })
                          }
                        />
                        <span>{w.eventNames[e] ?? e}</span>
                        <code class="dim mono">{e}</code>
                      </label>
                    ))}
                  </div>
                )}
              </Field>
            </div>
          </div>
        </div>
        <FormError wrong={wrong} />
        <Conflicts of={conflicts} labels={labels} adoptTheirs={adoptTheirs} show={eventsOf} />
        <div class="row formfoot">
          <span class="grow" />
          <Cancel close={close} />
          <Button
            type="submit"
            look="primary"
            disabled={busy || !url.trim() || (!!h && !changed.length)}
            text={h ? t.parts.save : w.create}
          />
        </div>
      </form>
    </Sheet>
  )
}

// Secret shows a text that is shown only once.
export const Secret = ({ text, close }: { text: string; close: () => void }) => (
  <Shown title={w.secret} close={close} done={w.secretDone}>
    <p>{w.secretText}</p>
    <Copy lines text={text} label={w.secret} />
  </Shown>
)

type DeliveryProps = { of: DeliveryRow; hook?: WebhookRow; may: boolean; close: () => void; step: Steps }

// DeliverySheet shows a delivery: the body that was sent, the attempts, and the response.
export function DeliverySheet({ of: d, hook, may, close, step }: DeliveryProps) {
  const [busy, start] = useBusy(),
    body = JSON.stringify(d.body, null, 2)
  const run = async () => {
    if (may) await start(() => redeliver(d))
  }
  useLetters(step, { r: () => void run() })
  return (
    <Sheet
      side
      reads
      title={w.eventNames[d.event] ?? d.event}
      beside={stateTag(d)}
      close={close}
      foot={
        <>
          <span class="grow" />
          <Stepper of={step} />
          {may && <Button look="primary" disabled={busy} onClick={() => void run()} text={w.redeliver} letter="R" />}
        </>
      }>
      <div class="story">
        <section class="part">
          <dl class="facts">
            <Fact name={w.endpoint} value={hook ? nameOf(hook) : w.gone} look="wrap" />
            <Fact name={w.made} value={dateTime(d.createdAt)} />
            <Fact name={w.attempts} value={d.event === 'ping' ? count(d.attempts) : w.ofSeven(d.attempts)} />
            {d.lastAttemptAt && <Fact name={w.lastTry} value={dateTime(d.lastAttemptAt)} />}
            {d.nextAttemptAt && <Fact name={w.next} value={`${dateTime(d.nextAttemptAt)}, ${nextTry(d.nextAttemptAt)}`} />}
            {d.deliveredAt && <Fact name={w.delivered} value={dateTime(d.deliveredAt)} />}
            {d.error && <Fact name={w.why} value={d.error} look="bad wrap" />}
            <Fact name={w.eventID} value={d.eventId} look="mono wrap" />
            <Fact name={w.deliveryID} value={d.id} look="mono wrap" />
          </dl>
        </section>
        {d.attempts > 0 && (
          <section class="part">
            <div class="row">
              <h2>{w.itsAnswer}</h2>
              <span class={'tag ' + (d.status === 'delivered' ? 'good' : 'bad')}>{d.httpStatus ?? w.noAnswer}</span>
            </div>
            {d.answer ? (
              <pre class="mono raw" tabIndex={0} role="region" aria-label={w.itsAnswer}>
                {d.answer}
              </pre>
            ) : d.httpStatus ? (
              <p class="dim">{w.emptyAnswer}</p>
            ) : null}
          </section>
        )}
        <Part title={w.body}>
          <Copy lines text={body} label={w.copyBody} />
        </Part>
      </div>
    </Sheet>
  )
}
