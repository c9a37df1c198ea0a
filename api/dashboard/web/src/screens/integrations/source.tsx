import { useState } from 'preact/hooks'
import type { AdAccount, CostEndpoint, SourceIntegration, SourceIntegrationBody, SourceRow } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { Part } from '../../parts/card.tsx'
import { useBusy } from '../../core/busy.ts'
import { call } from '../../core/call.ts'
import { showError } from '../../core/connect.ts'
import type { Values } from '../../core/credential.ts'
import { count } from '../../core/format.ts'
import { use } from '../../core/query.ts'
import { to } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { enterWords } from '../../text/enter.ts'
import { w } from '../../text/integrations.ts'
import { Combobox } from '../../parts/combobox.tsx'
import { Runs } from '../../parts/credentials.tsx'
import { Field, Switch, InputField, SelectField } from '../../parts/form.tsx'
import { PlainTable } from '../../parts/plain_table.tsx'
import { ConnectionSheet, PlatformConnection, useConnection } from './connection.tsx'
import { emptyEndpoint, Endpoint } from './endpoint.tsx'
import { Uploads, Upload, type UploadSettings } from './uploads.tsx'
import { w as correctionWords } from '../../text/corrections.ts'

// SourceSheet edits the connection of a traffic source to its ad platform: the credentials, the spend, and the conversions that are
// uploaded.
export const SourceSheet = ({ of: s, close }: { of: SourceRow; close: () => void }) => (
  <ConnectionSheet name={s.name} of={use('GET /traffic-sources/{id}/integration', {}, 0, { id: s.id })} close={close}>
    {(data, mark) => (
      <>
        <Connection key={data.version} of={s} data={data} mark={mark} />
        {data.uploads && <Uploads of={data.uploads} />}
        {data.click_loss.length > 0 && <Loss of={data} id={s.id} />}
        {data.configured && <Runs list={data.runs} />}
      </>
    )}
  </ConnectionSheet>
)

function Connection({ of: s, data, mark }: { of: SourceRow; data: SourceIntegration; mark: (dirty: boolean) => void }) {
  const [connectionID, setConnectionID] = useState(data.oauth_connection_id ?? ''),
    [endpoint, setEndpoint] = useState<CostEndpoint>(data.cost_endpoint ?? emptyEndpoint),
    [enabled, setEnabled] = useState(data.configured ? data.is_enabled : true),
    [param, setParam] = useState(data.campaign_param),
    path = { id: s.id }
  const [reporting, setReporting] = useState<UploadSettings>({
    conversions_enabled: data.conversions_enabled,
    mode: data.mode ?? 'shadow',
    conversion_statuses: data.conversion_statuses.length ? data.conversion_statuses : ['approved'],
    conversion_action: data.conversion_action,
    daily_cap_count: data.daily_cap_count || null,
    daily_cap_value: data.daily_cap_value || null,
    send_keys: data.send_keys,
  })
  const c = useConnection({
    name: s.name,
    rows: 'traffic-sources',
    providers: data.providers,
    connected: data.provider,
    credentials: data.credentials,
    version: data.version,
    mark,
    send: (form, credentials, match) => {
      const body: SourceIntegrationBody = {
        provider: form.provider,
        credentials,
        is_enabled: enabled,
        campaign_param: param,
        ...(form.sign_in && connectionID ? { oauth_connection_id: connectionID } : {}),
        ...(form.endpoint ? { cost_endpoint: endpoint } : {}),
        ...(form.conversions ? Object.fromEntries(Object.entries(reporting).filter(([, v]) => v !== null)) : {}),
      }
      return call('PUT /traffic-sources/{id}/integration', { path, body, match })
    },
  })
  const { form, provider, touched } = c,
    named = provider === 'google_ads' || provider === 'microsoft_ads'
  const request = (action: 'test' | 'sync') => () => call('POST /traffic-sources/{id}/integration', { path, body: { action } })
  const sync = () =>
    c.test(
      request('sync'),
      out => w.source.readDone(out.rows, out.matched, out.spend + (out.currency ? ' ' + out.currency : '')),
      'reports',
      'stats',
    )
  return (
    <PlatformConnection
      of={{
        ...c,
        choose: v => {
          c.choose(v)
          setConnectionID('')
        },
      }}
      encryption={data.encryption_available}
      error={data.last_error}
      about={data.currency && data.time_zone && <p class="dim">{w.source.zone(data.currency, data.time_zone)}</p>}
      signIn={
        form?.sign_in && (
          <SignedIn
            provider={provider}
            value={connectionID}
            on={touched(setConnectionID)}
            fill={a => c.type({ ...c.values, ...accountOf(provider, a) })}
            error={c.errorAt('oauth_connection_id')}
          />
        )
      }
      needed={form?.cost && !form.conversions && !form.endpoint}
      under={form?.endpoint && <Endpoint presets={form.presets} value={endpoint} on={touched(setEndpoint)} error={c.errorAt('url')} />}
      test={() => c.test(request('test'))}
      nextToTest={form?.cost && <Button disabled={c.busy} onClick={() => void sync()} text={w.source.sync} />}
      disconnect={() => call('DELETE /traffic-sources/{id}/integration', { path })}>
      {form?.cost && (
        <Part title={correctionWords.kinds.cost}>
          <div class="fields">
            <div class="across">
              <Switch shown on={enabled} set={touched(setEnabled)} label={w.source.enabled} />
            </div>
            <InputField
              label={w.source.campaignParam}
              hint={w.source.campaignParamHint}
              error={c.errorAt('campaign_param')}
              class="mono"
              maxLength={100}
              value={param}
              on={touched(setParam)}
            />
          </div>
        </Part>
      )}
      {form?.conversions && (
        <Upload
          source={s}
          value={reporting}
          on={touched(setReporting)}
          named={named}
          actions={named && data.provider === provider}
          error={c.errorAt('conversion_action')}
        />
      )}
    </PlatformConnection>
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

type SignedInProps = {
  provider: string
  value: string
  on: (v: string) => void
  fill: (a: AdAccount) => void // called with the chosen account
  error?: string
}

// SignedIn chooses a sign-in at the platform, and an ad account that this sign-in can reach.
function SignedIn({ provider, value, on, fill, error }: SignedInProps) {
  const platform = use('GET /oauth/connections', {}).data?.providers.find(p => p.provider === provider),
    list = platform?.connections,
    [accounts, setAccounts] = useState<AdAccount[]>(),
    [busy, run] = useBusy(),
    [chosen, setChosen] = useState('')
  const find = () =>
    run(async () => {
      const query = value ? { connection: value } : {}
      setAccounts((await call('GET /oauth/{provider}/accounts', { path: { provider }, query })).accounts)
    }, showError)
  if (list?.length === 0)
    return (
      <p class="across warn">
        {platform!.configured ? w.ads.nobody : `${w.ads.notConfigured}. ${w.ads.byOperator}`}{' '}
        {platform!.configured && (
          <a class="link" href={to('/app/integrations')}>
            {enterWords.title}
          </a>
        )}
      </p>
    )
  return (
    <>
      <SelectField
        label={w.source.connection}
        error={error}
        value={value}
        options={[{ value: '', label: t.parts.choose }, ...(list ?? []).map(c => ({ value: c.id, label: c.userName || c.userId }))]}
        on={on}
      />
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

// Loss compares the clicks that the platform reports with the clicks that arrived.
const Loss = ({ of: data, id }: { of: SourceIntegration; id: string }) => (
  <Part title={w.source.loss}>
    <PlainTable label={w.source.loss} heads={[{ left: t.dimensions.date }, w.source.theirs, w.source.ours, w.source.lost]}>
      {data.click_loss.map(d => (
        <tr key={d.day}>
          <td class="left num">{d.day}</td>
          <td class="num">{count(d.source_clicks)}</td>
          <td class="num">{count(d.redirects)}</td>
          <td class="num">{d.loss_pct == null ? '—' : `${d.loss_pct}%`}</td>
        </tr>
      ))}
    </PlainTable>
    <p>
      <a class="link" href={to(`/app/sources/${id}/difference`)}>
        {t.nav.differ}
      </a>
    </p>
  </Part>
)
