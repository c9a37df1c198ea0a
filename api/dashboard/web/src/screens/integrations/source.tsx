import { useState } from 'preact/hooks'
import type { AdAccount, CostEndpoint, SourceIntegration, SourceIntegrationBody, SourceRow } from '../../api.gen.ts'
import { asError, call } from '../../core/call.ts'
import { count } from '../../core/format.ts'
import { touches, use } from '../../core/query.ts'
import { to } from '../../core/router.ts'
import { w } from '../../text/integrations.ts'
import { Combobox } from '../../parts/combobox.tsx'
import { Credentials, given, Runs, type Values } from '../../parts/credentials.tsx'
import { Field, FormError, Input, Select, Switch, wrongOf, type Wrong } from '../../parts/form.tsx'
import { Pairs } from '../../parts/pairs.tsx'
import { Ask, Sheet } from '../../parts/sheet.tsx'
import { Failed, Late } from '../../parts/state.tsx'
import { toast } from '../../core/toast.ts'
import { mayConnect, said } from '../../core/connect.ts'
import { Told, Upload, type Telling } from './uploads.tsx'

// SourceSheet edits the connection of a traffic source to its ad platform: the credentials, the spend, and the conversions that are
// uploaded.
export function SourceSheet({ of: s, close }: { of: SourceRow; close: () => void }) {
  const { data, error, again } = use('GET /traffic-sources/{id}/integration', {}, 0, { id: s.id }),
    [dirty, setDirty] = useState(false)
  return (
    <Sheet side title={s.name} close={close} keep={() => dirty}>
      {!data ? (
        error ? (
          <Failed error={error} again={again} />
        ) : (
          <Late>
            <div class="part">
              <div class="skeleton" style="height:240px" />
            </div>
          </Late>
        )
      ) : (
        <div class="story">
          <Connection key={data.provider ?? ''} of={s} data={data} mark={setDirty} />
          {data.uploads && <Told of={data.uploads} />}
          {data.click_loss.length > 0 && <Loss of={data} />}
          {data.configured && <Runs list={data.runs} />}
        </div>
      )}
    </Sheet>
  )
}

const codes = {
  choose_connection: 'oauth_connection_id',
  not_connected: 'oauth_connection_id',
  invalid_conversion_action: 'conversion_action',
  no_conversion_action: 'conversion_action',
  no_url: 'url',
  invalid_provider: 'provider',
}
const emptyEndpoint: CostEndpoint = {
  url: '',
  method: 'GET',
  headers: {},
  body: null,
  rowsPath: '',
  dayField: 'day',
  campaignField: 'campaign',
  spendField: 'spend',
  clicksField: '',
  impressionsField: '',
  spendDivisor: null,
  currency: '',
}

function Connection({ of: s, data, mark }: { of: SourceRow; data: SourceIntegration; mark: (dirty: boolean) => void }) {
  const [provider, setProvider] = useState(data.provider ?? ''),
    [values, setValues] = useState<Values>({}),
    [connectionID, setConnectionID] = useState(data.oauth_connection_id ?? ''),
    [endpoint, setEndpoint] = useState<CostEndpoint>(data.cost_endpoint ?? emptyEndpoint),
    [enabled, setEnabled] = useState(data.configured ? data.is_enabled : true),
    [param, setParam] = useState(data.campaign_param)
  const [reporting, setReporting] = useState<Telling>({
    conversions_enabled: data.conversions_enabled,
    mode: data.mode ?? 'shadow',
    conversion_statuses: data.conversion_statuses.length ? data.conversion_statuses : ['approved'],
    conversion_action: data.conversion_action,
    daily_cap_count: data.daily_cap_count || null,
    daily_cap_value: data.daily_cap_value || null,
  })
  const [wrong, setWrong] = useState<Wrong>(),
    [busy, setBusy] = useState(false),
    [disconnecting, setDisconnecting] = useState(false),
    may = mayConnect()
  const form = data.providers.find(p => p.provider === provider),
    same = data.provider === provider,
    saved = same ? data.credentials : {}
  const save = async () => {
    if (!form || busy) return
    setBusy(true)
    setWrong(undefined)
    const told = Object.fromEntries(Object.entries(reporting).filter(([, v]) => v !== null))
    const body: SourceIntegrationBody = {
      provider,
      credentials: given(form.fields, saved, values),
      is_enabled: enabled,
      campaign_param: param,
      ...(form.sign_in && connectionID ? { oauth_connection_id: connectionID } : {}),
      ...(form.endpoint ? { cost_endpoint: endpoint } : {}),
      ...(form.conversions ? told : {}),
    }
    try {
      await call('PUT /traffic-sources/{id}/integration', { path: { id: s.id }, body })
      setValues({})
      mark(false)
      touches('traffic-sources')
      toast(w.saved(s.name))
    } catch (e) {
      const error = asError(e),
        found = wrongOf(error, [...form.fields.map(f => f.name), 'campaign_param', 'conversion_action', 'oauth_connection_id'], codes)
      setWrong({ ...found, text: w.codes[error.code] && error.code !== 'invalid_credentials' ? w.codes[error.code]! : found.text })
    } finally {
      setBusy(false)
    }
  }
  const run = async (action: 'test' | 'sync') => {
    setBusy(true)
    try {
      const out = await call('POST /traffic-sources/{id}/integration', { path: { id: s.id }, body: { action } })
      touches('traffic-sources', ...(action === 'sync' ? ['reports', 'stats'] : []))
      toast(
        !out.ok
          ? (out.detail ?? out.message)
          : action === 'sync'
            ? w.source.readDone(out.rows, out.matched, out.spend + (out.currency ? ' ' + out.currency : ''))
            : out.message,
        { bad: !out.ok },
      )
    } catch (e) {
      toast(said(e), { bad: true })
    } finally {
      setBusy(false)
    }
  }
  const touched =
    <A extends unknown[]>(fn: (...a: A) => void) =>
    (...a: A) => {
      fn(...a)
      mark(true)
    }
  return (
    <form
      class="record"
      onSubmit={e => {
        e.preventDefault()
        void save()
      }}>
      <fieldset disabled={!may || !data.encryption_available}>
        <section class="part">
          <h2>{w.source.credentials}</h2>
          {!data.encryption_available && <p class="warn">{w.codes.no_encryption_key}</p>}
          {data.last_error && (
            <p class="bad wrap" role="alert">
              {data.last_error}
            </p>
          )}
          {data.currency && data.time_zone && <p class="dim">{w.source.zone(data.currency, data.time_zone)}</p>}
          <div class="fields">
            <Field label={w.provider} error={wrong?.field === 'provider' ? wrong.text : undefined}>
              {wired => (
                <Combobox
                  wired={wired}
                  label={w.provider}
                  value={provider}
                  choices={data.providers.map(p => ({ value: p.provider, label: p.label }))}
                  on={v => {
                    setProvider(v)
                    setValues({})
                    setWrong(undefined)
                    setConnectionID('')
                  }}
                />
              )}
            </Field>
            {form?.sign_in && (
              <SignedIn
                provider={provider}
                value={connectionID}
                on={touched(setConnectionID)}
                fill={a => {
                  setValues(v => ({ ...v, ...accountOf(provider, a) }))
                  mark(true)
                }}
                error={wrong?.field === 'oauth_connection_id' ? wrong.text : undefined}
              />
            )}
            {form && <Credentials fields={form.fields} saved={saved} value={values} on={touched(setValues)} wrong={wrong} />}
          </div>
          {form?.endpoint && <Endpoint value={endpoint} on={touched(setEndpoint)} wrong={wrong} />}
        </section>
        {form?.cost && (
          <section class="part">
            <h2>{w.source.spend}</h2>
            <div class="fields">
              <div class="across">
                <Switch shown on={enabled} set={touched(setEnabled)} label={w.source.enabled} />
              </div>
              <Field
                label={w.source.campaignParam}
                hint={w.source.campaignParamHint}
                error={wrong?.field === 'campaign_param' ? wrong.text : undefined}>
                {wired => <Input wired={wired} class="mono" maxLength={100} value={param} on={touched(setParam)} />}
              </Field>
            </div>
          </section>
        )}
        {form?.conversions && (
          <Upload
            source={s}
            value={reporting}
            on={touched(setReporting)}
            actions={same && (provider === 'google_ads' || provider === 'microsoft_ads')}
            error={wrong?.field === 'conversion_action' ? wrong.text : undefined}
          />
        )}
        <FormError wrong={wrong} />
      </fieldset>
      {may && (
        <div class="row formfoot wraps">
          {data.configured && (
            <>
              <button type="button" class="btn" disabled={busy} onClick={() => void run('test')}>
                {w.test}
              </button>
              {form?.cost && (
                <button type="button" class="btn" disabled={busy} onClick={() => void run('sync')}>
                  {w.source.sync}
                </button>
              )}
              <button type="button" class="btn quiet" onClick={() => setDisconnecting(true)}>
                {w.disconnect}
              </button>
            </>
          )}
          <span class="grow" />
          <button class="btn primary" disabled={!form || busy || !data.encryption_available}>
            {data.configured ? w.save : w.connect}
          </button>
        </div>
      )}
      {disconnecting && (
        <Ask
          title={w.disconnectTitle(s.name)}
          text={w.forgotten}
          go={w.disconnect}
          danger
          close={() => setDisconnecting(false)}
          on={() =>
            call('DELETE /traffic-sources/{id}/integration', { path: { id: s.id } }).then(() => {
              touches('traffic-sources')
              toast(w.gone(s.name))
            })
          }
        />
      )}
    </form>
  )
}

// accountOf returns the credentials that follow from the chosen ad account.
function accountOf(provider: string, a: AdAccount): Values {
  const parent = a.parentId ?? ''
  return provider === 'google_ads'
    ? { customer_id: a.id, login_customer_id: parent }
    : provider === 'microsoft_ads'
      ? { account_id: a.id, customer_id: parent }
      : { ad_account_id: a.id }
}

// SignedIn chooses a sign-in at the platform, and an ad account that this sign-in can reach.
function SignedIn({
  provider,
  value,
  on,
  fill,
  error,
}: {
  provider: string
  value: string
  on: (v: string) => void
  fill: (a: AdAccount) => void
  error?: string
}) {
  const list = use('GET /oauth/connections', {}).data?.providers.find(p => p.provider === provider)?.connections,
    [accounts, setAccounts] = useState<AdAccount[]>(),
    [busy, setBusy] = useState(false),
    [chosen, setChosen] = useState('')
  const find = async () => {
    setBusy(true)
    try {
      setAccounts(
        (await call('GET /oauth/{provider}/accounts', { path: { provider }, query: value ? { connection: value } : {} })).accounts,
      )
    } catch (e) {
      toast(said(e), { bad: true })
    } finally {
      setBusy(false)
    }
  }
  if (list?.length === 0)
    return (
      <p class="across warn">
        {w.ads.nobody}{' '}
        <a class="link" href={to('/app/integrations')}>
          {w.ads.signIn}
        </a>
      </p>
    )
  return (
    <>
      <Field label={w.source.connection} error={error}>
        {wired => (
          <Select
            wired={wired}
            value={value}
            options={[{ value: '', label: w.choose }, ...(list ?? []).map(c => ({ value: c.id, label: c.userName || c.userId }))]}
            on={on}
          />
        )}
      </Field>
      <Field label={w.source.account} hint={accounts?.length === 0 ? w.source.noAccounts : undefined}>
        {wired =>
          accounts?.length ? (
            <Combobox
              wired={wired}
              label={w.source.account}
              value={chosen}
              choices={accounts.map(a => ({ value: a.id, label: a.name || a.id, side: a.manager ? w.source.manager : a.currency }))}
              on={v => {
                setChosen(v)
                const a = accounts.find(o => o.id === v)
                if (a) fill(a)
              }}
            />
          ) : (
            <button type="button" {...wired} class="btn" disabled={busy} onClick={() => void find()}>
              {busy ? w.testing : w.source.findAccounts}
            </button>
          )
        }
      </Field>
    </>
  )
}

// Endpoint edits the address from which spend is read, for a platform without an adapter of its own.
function Endpoint({ value: e, on, wrong }: { value: CostEndpoint; on: (e: CostEndpoint) => void; wrong?: Wrong }) {
  const texts = [
    ['rowsPath', w.source.rowsPath],
    ['dayField', w.source.dayField],
    ['campaignField', w.source.campaignField],
    ['spendField', w.source.spendField],
    ['clicksField', w.source.clicksField],
    ['impressionsField', w.source.impressionsField],
    ['currency', w.source.currency],
  ] as const
  return (
    <div class="fields endpoint">
      <h3 class="label across">{w.source.endpoint}</h3>
      <Field wide label={w.source.url} error={wrong?.field === 'url' ? wrong.text : undefined}>
        {wired => <Input wired={wired} class="mono" maxLength={2000} value={e.url} on={url => on({ ...e, url })} />}
      </Field>
      <Field label={w.source.method}>
        {wired => (
          <Select
            wired={wired}
            value={e.method || 'GET'}
            options={['GET', 'POST'].map(v => ({ value: v, label: v }))}
            on={method => on({ ...e, method })}
          />
        )}
      </Field>
      {texts.map(([name, label]) => (
        <Field key={name} label={label}>
          {wired => <Input wired={wired} class="mono" maxLength={200} value={e[name]} on={v => on({ ...e, [name]: v })} />}
        </Field>
      ))}
      <Field label={w.source.divisor}>
        {wired => (
          <Input
            wired={wired}
            inputMode="decimal"
            value={e.spendDivisor == null ? '' : String(e.spendDivisor)}
            on={v => on({ ...e, spendDivisor: v.trim() === '' ? null : Number(v) })}
          />
        )}
      </Field>
      <Field wide group label={w.source.headers}>
        {() => (
          <Pairs label={w.source.headers} heads={[w.source.name, w.source.value]} value={e.headers} on={headers => on({ ...e, headers })} />
        )}
      </Field>
    </div>
  )
}

// Loss compares the clicks that the platform reports with the clicks that arrived.
const Loss = ({ of: data }: { of: SourceIntegration }) => (
  <section class="part">
    <h2>{w.source.loss}</h2>
    <div class="scroll" tabIndex={0} role="region" aria-label={w.source.loss}>
      <table class="plain">
        <thead>
          <tr>
            <th class="left">{w.source.day}</th>
            <th>{w.source.theirs}</th>
            <th>{w.source.ours}</th>
            <th>{w.source.lost}</th>
          </tr>
        </thead>
        <tbody>
          {data.click_loss.map(d => (
            <tr key={d.day}>
              <td class="left num">{d.day}</td>
              <td class="num">{count(d.source_clicks)}</td>
              <td class="num">{count(d.redirects)}</td>
              <td class="num">{d.loss_pct == null ? '—' : `${d.loss_pct}%`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </section>
)
