import { useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import type { AIConnection, AIModel, GeoDatabase } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { useAttempt } from '../../core/busy.ts'
import { call, type ApiError } from '../../core/call.ts'
import { ago } from '../../core/dates.ts'
import { touches, use } from '../../core/query.ts'
import { t } from '../../core/text.ts'
import { recordWords } from '../../text/records.ts'
import { w } from '../../text/integrations.ts'
import { Says } from '../../parts/credentials.tsx'
import { Field, Input, Select, Switch, InputField, SelectField } from '../../parts/form.tsx'
import { Ask, FormSheet } from '../../parts/sheet.tsx'
import { Bone, Failed } from '../../parts/state.tsx'
import { toastAndReload, toast } from '../../core/toast.ts'
import { mayConnect, errorText } from '../../core/connect.ts'

type ServiceProps = {
  title: string
  text: string
  answer: { data?: unknown; error: ApiError | undefined; again: () => void }
  name?: string | null // the name of the connected service
  shown: string // the text that says what is connected
  details: string
  failure?: string | null
  state?: ComponentChildren
  mayOpen: boolean
  mayDisconnect: boolean
  disconnect: () => Promise<unknown>
  form: (close: () => void) => ComponentChildren
}

// Service is the card of a service to which an account has at most one connection.
function Service(p: ServiceProps) {
  const [open, setOpen] = useState(false),
    [disconnecting, setDisconnecting] = useState(false),
    { data, error, again } = p.answer
  return (
    <Card title={p.title}>
      <p class="part soft lead">{p.text}</p>
      {data ? (
        <ul class="list">
          <li>
            <div class="grow">
              <div class="t">{p.shown}</div>
              <div class="d wrap">{p.details}</div>
              {p.failure && <div class="d bad wrap">{p.failure}</div>}
            </div>
            {p.state}
            {p.mayOpen && <Button look="sm" onClick={() => setOpen(true)} text={p.name ? w.change : t.nav.connect} of={p.title} />}
            {p.mayDisconnect && p.name && <Button look="sm quiet" onClick={() => setDisconnecting(true)} text={w.disconnect} of={p.name} />}
          </li>
        </ul>
      ) : error ? (
        <Failed error={error} again={again} />
      ) : (
        <div class="part">
          <Bone w="100%" h={44} />
        </div>
      )}
      {open && p.form(() => setOpen(false))}
      {disconnecting && p.name && (
        <Ask
          title={w.disconnectTitle(p.name)}
          text={w.forgotten}
          go={w.disconnect}
          danger
          close={() => setDisconnecting(false)}
          on={async () => {
            await p.disconnect()
            toast(w.gone(p.name!))
          }}
        />
      )}
    </Card>
  )
}

// Geo edits the connection to the service that looks up where visitors come from.
export function Geo({ encryption }: { encryption: boolean }) {
  const answer = use('GET /geo-database', {}),
    { data } = answer,
    may = mayConnect(),
    c = data?.connected,
    name = c && (data?.providers.find(p => p.provider === c.provider)?.label ?? c.provider)
  return (
    <Service
      title={w.geo.title}
      text={w.geo.text}
      answer={answer}
      name={name}
      shown={name ?? w.geo.none}
      details={!data?.planIncludes ? w.geo.plan : c ? [w.since(ago(c.savedAt)), w.geo.budget(data.budgetPerMinute)].join(' · ') : ''}
      failure={c?.error}
      state={c && <Says on={c.enabled} error={c.error} />}
      mayOpen={may && !!data?.planIncludes && encryption}
      mayDisconnect={may}
      disconnect={() => call('DELETE /geo-database').then(() => touches('geo-database'))}
      form={close => data && <GeoForm of={data} close={close} />}
    />
  )
}

function GeoForm({ of: data, close }: { of: GeoDatabase; close: () => void }) {
  const [provider, setProvider] = useState(data.connected?.provider ?? data.providers[0]?.provider ?? ''),
    [key, setKey] = useState(''),
    [enabled, setEnabled] = useState(data.connected?.enabled ?? true),
    { busy, wrong, run } = useAttempt(errorText),
    form = data.providers.find(p => p.provider === provider)
  const save = () =>
    run(async () => {
      await call('PUT /geo-database', { body: { provider, enabled, ...(key ? { key } : {}) } })
      toastAndReload(recordWords.saved(form?.label ?? provider), 'geo-database')
      close()
    })
  return (
    <FormSheet title={w.geo.title} close={close} keep={() => key !== ''} go={busy ? w.testing : t.parts.save} off={busy} send={save}>
      <SelectField
        label={w.provider}
        value={provider}
        options={data.providers.map(p => ({ value: p.provider, label: p.label }))}
        on={setProvider}
      />
      <InputField
        label={w.geo.key}
        hint={[form?.key, data.connected?.provider === provider ? w.keep : ''].filter(Boolean).join(' ')}
        error={wrong}
        type="password"
        autocomplete="off"
        maxLength={500}
        value={key}
        on={setKey}
      />
      <Switch shown on={enabled} set={setEnabled} label={w.geo.enabled} />
    </FormSheet>
  )
}

const providers = [
  { value: 'openai', label: 'OpenAI' },
  { value: 'anthropic', label: 'Anthropic' },
  { value: 'gemini', label: 'Gemini' },
  { value: 'openrouter', label: 'OpenRouter' },
]
const labelOf = (provider: string) => providers.find(p => p.value === provider)?.label ?? provider

// AI edits the connection to the language model of the Copilot.
export function AI() {
  const answer = use('GET /copilot/ai', {}),
    { data } = answer,
    c = data?.connection,
    may = mayConnect() && !!data?.canManage
  return (
    <Service
      title={w.ai.title}
      text={w.ai.text}
      answer={answer}
      name={c && labelOf(c.provider)}
      shown={c ? w.ai.using(labelOf(c.provider), c.model) : w.ai.none}
      details={c ? [data.message, w.since(ago(c.savedAt))].filter(Boolean).join(' · ') : ''}
      mayOpen={may && !!data?.encryption}
      mayDisconnect={may}
      disconnect={() => call('DELETE /copilot/ai').then(() => touches('copilot'))}
      form={close => data && <AIForm of={data} close={close} />}
    />
  )
}

function AIForm({ of: data, close }: { of: AIConnection; close: () => void }) {
  const c = data.connection,
    [provider, setProvider] = useState(c?.provider ?? 'openai'),
    [key, setKey] = useState(''),
    [model, setModel] = useState(c?.model ?? ''),
    [models, setModels] = useState<AIModel[]>(),
    { busy, wrong, run } = useAttempt(errorText),
    kept = c?.provider === provider
  const save = () =>
    run(async () => {
      await call('POST /copilot/ai', {
        body:
          key || !kept ? { action: 'connect', provider, apiKey: key, ...(model ? { model } : {}) } : { action: 'model', provider, model },
      })
      toastAndReload(recordWords.saved(labelOf(provider)), 'copilot')
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
      go={busy ? w.testing : t.parts.save}
      off={busy || (!key && !(kept && model))}
      send={save}>
      <SelectField
        label={w.provider}
        value={provider}
        options={providers}
        on={v => {
          setProvider(v)
          setModels(undefined)
          setModel(c?.provider === v ? c.model : '')
        }}
      />
      <InputField
        label={w.ai.key}
        hint={kept ? w.keep : undefined}
        error={wrong}
        type="password"
        autocomplete="off"
        maxLength={500}
        value={key}
        on={setKey}
      />
      <Field label={w.ai.model}>
        {wired =>
          models?.length ? (
            <Select
              wired={wired}
              value={model}
              options={[{ value: '', label: t.parts.choose }, ...models.map(m => ({ value: m.id, label: m.name || m.id }))]}
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
