import { useState } from 'preact/hooks'
import type { AIConnection, AIModel, GeoDatabase } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { useAttempt } from '../../core/busy.ts'
import { call } from '../../core/call.ts'
import { ago } from '../../core/dates.ts'
import { touches, use } from '../../core/query.ts'
import { w } from '../../text/integrations.ts'
import { Says } from '../../parts/credentials.tsx'
import { Field, Input, Select, Switch } from '../../parts/form.tsx'
import { Ask, FormSheet } from '../../parts/sheet.tsx'
import { Bone, Failed } from '../../parts/state.tsx'
import { toast } from '../../core/toast.ts'
import { mayConnect, said } from '../../core/connect.ts'

const Waiting = () => (
  <div class="part">
    <Bone w="100%" h={44} />
  </div>
)

// Geo edits the connection to the service that tells where visitors come from.
export function Geo({ encryption }: { encryption: boolean }) {
  const { data, error, again } = use('GET /geo-database', {}),
    [open, setOpen] = useState(false),
    [disconnecting, setDisconnecting] = useState(false),
    may = mayConnect(),
    c = data?.connected,
    name = data?.providers.find(p => p.provider === c?.provider)?.label ?? c?.provider ?? ''
  return (
    <section class="card">
      <header>
        <h2>{w.geo.title}</h2>
      </header>
      <p class="part soft lead">{w.geo.text}</p>
      {!data ? (
        error ? (
          <Failed error={error} again={again} />
        ) : (
          <Waiting />
        )
      ) : (
        <ul class="list">
          <li>
            <div class="grow">
              <div class="t">{c ? name : w.geo.none}</div>
              <div class="d wrap">
                {!data.planIncludes ? w.geo.plan : c ? [w.since(ago(c.savedAt)), w.geo.budget(data.budgetPerMinute)].join(' · ') : ''}
              </div>
              {c?.error && <div class="d bad wrap">{c.error}</div>}
            </div>
            {c && <Says on={c.enabled} error={c.error} />}
            {may && data.planIncludes && encryption && (
              <Button look="sm" onClick={() => setOpen(true)} text={c ? w.change : w.connect} of={w.geo.title} />
            )}
            {may && c && <Button look="sm quiet" onClick={() => setDisconnecting(true)} text={w.disconnect} of={name} />}
          </li>
        </ul>
      )}
      {open && data && <GeoForm of={data} close={() => setOpen(false)} />}
      {disconnecting && (
        <Ask
          title={w.disconnectTitle(name)}
          text={w.forgotten}
          go={w.disconnect}
          danger
          close={() => setDisconnecting(false)}
          on={() =>
            call('DELETE /geo-database').then(() => {
              touches('geo-database')
              toast(w.gone(name))
            })
          }
        />
      )}
    </section>
  )
}

function GeoForm({ of: data, close }: { of: GeoDatabase; close: () => void }) {
  const [provider, setProvider] = useState(data.connected?.provider ?? data.providers[0]?.provider ?? ''),
    [key, setKey] = useState(''),
    [enabled, setEnabled] = useState(data.connected?.enabled ?? true),
    { busy, wrong, run } = useAttempt(said),
    form = data.providers.find(p => p.provider === provider)
  const save = () =>
    run(async () => {
      await call('PUT /geo-database', { body: { provider, enabled, ...(key ? { key } : {}) } })
      touches('geo-database')
      toast(w.saved(form?.label ?? provider))
      close()
    })
  return (
    <FormSheet title={w.geo.title} close={close} keep={() => key !== ''} go={busy ? w.testing : w.save} off={busy} send={save}>
      <Field label={w.provider}>
        {wired => (
          <Select
            wired={wired}
            value={provider}
            options={data.providers.map(p => ({ value: p.provider, label: p.label }))}
            on={setProvider}
          />
        )}
      </Field>
      <Field
        label={w.geo.key}
        hint={[form?.key, data.connected?.provider === provider ? w.keep : ''].filter(Boolean).join(' ')}
        error={wrong}>
        {wired => <Input wired={wired} type="password" autocomplete="off" maxLength={500} value={key} on={setKey} />}
      </Field>
      <Switch shown on={enabled} set={setEnabled} label={w.geo.enabled} />
    </FormSheet>
  )
}

const providers = [
  ['openai', 'OpenAI'],
  ['anthropic', 'Anthropic'],
  ['gemini', 'Gemini'],
  ['openrouter', 'OpenRouter'],
].map(([value, label]) => ({ value: value!, label: label! }))
const labelOf = (provider: string) => providers.find(p => p.value === provider)?.label ?? provider

// AI edits the connection to the language model of the Copilot.
export function AI() {
  const { data, error, again } = use('GET /copilot/ai', {}),
    [open, setOpen] = useState(false),
    [disconnecting, setDisconnecting] = useState(false),
    c = data?.connection
  return (
    <section class="card">
      <header>
        <h2>{w.ai.title}</h2>
      </header>
      <p class="part soft lead">{w.ai.text}</p>
      {!data ? (
        error ? (
          <Failed error={error} again={again} />
        ) : (
          <Waiting />
        )
      ) : (
        <ul class="list">
          <li>
            <div class="grow">
              <div class="t">{c ? w.ai.using(labelOf(c.provider), c.model) : w.ai.none}</div>
              <div class="d wrap">{c && [data.message, w.since(ago(c.savedAt))].filter(Boolean).join(' · ')}</div>
            </div>
            {mayConnect() && data.canManage && data.encryption && (
              <Button look="sm" onClick={() => setOpen(true)} text={c ? w.change : w.connect} of={w.ai.title} />
            )}
            {mayConnect() && data.canManage && c && (
              <Button look="sm quiet" onClick={() => setDisconnecting(true)} text={w.disconnect} of={labelOf(c.provider)} />
            )}
          </li>
        </ul>
      )}
      {open && data && <AIForm of={data} close={() => setOpen(false)} />}
      {disconnecting && c && (
        <Ask
          title={w.disconnectTitle(labelOf(c.provider))}
          text={w.forgotten}
          go={w.disconnect}
          danger
          close={() => setDisconnecting(false)}
          on={() =>
            call('DELETE /copilot/ai').then(() => {
              touches('copilot')
              toast(w.gone(labelOf(c.provider)))
            })
          }
        />
      )}
    </section>
  )
}

function AIForm({ of: data, close }: { of: AIConnection; close: () => void }) {
  const c = data.connection,
    [provider, setProvider] = useState(c?.provider ?? 'openai'),
    [key, setKey] = useState(''),
    [model, setModel] = useState(c?.model ?? ''),
    [models, setModels] = useState<AIModel[]>(),
    { busy, wrong, run } = useAttempt(said),
    kept = c?.provider === provider
  const save = () =>
    run(async () => {
      await call('POST /copilot/ai', {
        body:
          key || !kept ? { action: 'connect', provider, apiKey: key, ...(model ? { model } : {}) } : { action: 'model', provider, model },
      })
      touches('copilot')
      toast(w.saved(labelOf(provider)))
      close()
    })
  const find = () =>
    run(async () =>
      setModels((await call('POST /copilot/ai', { body: { action: 'models', provider, ...(key ? { apiKey: key } : {}) } })).models ?? []),
    )
  return (
    <FormSheet
      title={w.ai.title}
      close={close}
      keep={() => key !== ''}
      go={busy ? w.testing : w.save}
      off={busy || (!key && !(kept && model))}
      send={save}>
      <Field label={w.provider}>
        {wired => (
          <Select
            wired={wired}
            value={provider}
            options={providers}
            on={v => {
              setProvider(v)
              setModels(undefined)
              setModel(c?.provider === v ? c.model : '')
            }}
          />
        )}
      </Field>
      <Field label={w.ai.key} hint={kept ? w.keep : undefined} error={wrong}>
        {wired => <Input wired={wired} type="password" autocomplete="off" maxLength={500} value={key} on={setKey} />}
      </Field>
      <Field label={w.ai.model}>
        {wired =>
          models?.length ? (
            <Select
              wired={wired}
              value={model}
              options={[{ value: '', label: w.choose }, ...models.map(m => ({ value: m.id, label: m.name || m.id }))]}
              on={setModel}
            />
          ) : (
            <Input wired={wired} class="mono" maxLength={200} value={model} on={setModel} />
          )
        }
      </Field>
      <div>
        <Button look="sm" disabled={busy || (!key && !kept)} onClick={() => void find()} text={w.ai.findModels} />
      </div>
    </FormSheet>
  )
}
