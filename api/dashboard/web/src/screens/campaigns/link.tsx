import { useEffect, useRef, useState } from 'preact/hooks'
import type { ClickRow, ConversionRow, NetworkRow, Path, SourceRow, TestedClick } from '../../api.gen.ts'
import { Button, Link } from '../../parts/button.tsx'
import { Part } from '../../parts/card.tsx'
import { useAttempt } from '../../core/busy.ts'
import { asError, call } from '../../core/call.ts'
import { canWrite } from '../../core/can.ts'
import { choicesOf, useLanders, useNetworks, useOffers, useSources } from '../../core/choices.ts'
import { amount, country, hourOf } from '../../core/format.ts'
import { paramsOf, sampled, tagOf, withParams } from '../../core/link.ts'
import { touches, use } from '../../core/query.ts'
import { to } from '../../core/router.ts'
import { dimensionName, type SubNames } from '../../core/subs.ts'
import { t } from '../../core/text.ts'
import { recordWords } from '../../text/records.ts'
import { setupWords } from '../../text/setup.ts'
import { ComboField } from '../../parts/combobox.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Input, InputField, SelectField } from '../../parts/form.tsx'
import { Sign } from '../../parts/icons.tsx'
import { NetworkURL } from '../../parts/network_url.tsx'
import { PlainTable } from '../../parts/plain_table.tsx'
import { QR } from '../../parts/qr.tsx'
import { Failed } from '../../parts/state.tsx'
import { ClickOut } from '../../parts/click_out.tsx'
import { TestConversion } from '../../parts/test_conversion.tsx'
import { TestSteps } from '../../parts/trace.tsx'
import { missingOf, Untold } from '../../parts/untold.tsx'
import { failed, toastAndReload } from '../../core/toast.ts'
import type { TabProps } from '../../core/campaign.ts'
import { asWritten } from '../../core/idn.ts'

// CampaignLink builds the link for the source. It also shows the postbacks to the source and from the networks.
export function CampaignLink({ detail: { campaign: c, networks: campaignNetworks, streams } }: TabProps) {
  const sources = useSources(),
    networks = useNetworks(),
    siteKey = use('GET /settings', {}).data?.siteKey ?? '',
    [index, setIndex] = useState(0),
    [ownParams, setOwnParams] = useState<Pair[]>([])
  const links = c.links.length ? c.links : [{ domain_id: '', domain: c.domain, tag_name: '', url: c.url, tracking_url: c.tracking_url }]
  const chosen = links[index] ?? links[0]!,
    source = sources?.find(s => s.id === c.source_id),
    sourceHint = source ? undefined : t.link.noSourceHint
  const link = withParams(chosen.tracking_url || chosen.url, ownParams),
    params = paramsOf(chosen.tracking_url, source)
  const setSource = (id: string) =>
    call('PATCH /campaigns/{id}', { path: { id: c.id }, body: { source_id: id || null } }).then(
      () => toastAndReload(t.parts.saved, 'campaigns'),
      failed,
    )
  return (
    <div class="grid builder">
      <div class="grid">
        <FirstClick id={c.id} network={networks?.find(n => n.id === campaignNetworks[0]?.id)} />
        <Part look="card" title={t.link.title}>
          <div class="fields">
            {canWrite() ? (
              <ComboField
                label={t.campaigns.source}
                hint={sourceHint}
                value={c.source_id ?? ''}
                shown={c.source_id ? c.source_name : t.campaigns.noSource}
                none={t.campaigns.noSource}
                choices={choicesOf(sources)}
                on={v => void setSource(v)}
              />
            ) : (
              <InputField label={t.campaigns.source} hint={sourceHint} value={c.source_name} on={() => undefined} readOnly />
            )}
            {links.length > 1 && (
              <SelectField
                label={t.campaigns.domain}
                value={String(index)}
                options={links.map((l, i) => ({ value: String(i), label: asWritten(l.domain) }))}
                on={v => setIndex(Number(v))}
              />
            )}
          </div>
          <Copy text={link} label={t.campaigns.trackingLink} lines />
          <div class="row wraps">
            <Link look="sm" href={chosen.url} target="_blank" rel="noreferrer" text={setupWords.first.openIt} />
            <span class="dim fine">{setupWords.first.openHint}</span>
          </div>
          {(params.length > 0 || ownParams.length > 0) && (
            <Params
              label={t.link.params}
              heads={[t.link.filled, t.link.meaning]}
              says
              rows={params.map(p => [p.name, p.macro, p.meaning])}
            />
          )}
          <OwnParams list={ownParams} on={setOwnParams} />
        </Part>
        <Test id={c.id} link={sampled(link, source)} names={c.sub_names} />
      </div>
      <div class="grid">
        <Part look="card" title={t.link.qr}>
          <QR text={chosen.url} label={t.link.qrOf(chosen.url)} />
          <p class="dim fine">{t.link.qrHint}</p>
        </Part>
        <Buttons of={streams} origin={new URL(chosen.url).origin} />
        <Postbacks of={campaignNetworks} networks={networks} source={source} />
        <Part look="card" title={t.link.direct}>
          <p class="dim">{t.link.directText}</p>
          <Copy
            label={t.link.tag}
            lines
            text={`<script src="${tagOf(new URL(chosen.url).origin, chosen.tag_name)}" data-site="${siteKey}" async></script>`}
          />
        </Part>
      </div>
    </div>
  )
}

// Params is a table of the parameters of a link.
const Params = ({ label, heads, rows, says }: { label: string; heads: [string, string]; rows: string[][]; says?: boolean }) => (
  <PlainTable label={label} heads={[t.link.param, { left: heads[0] }, { left: heads[1] }]}>
    {rows.map(([name, value, meaning]) => (
      <tr key={name}>
        <td class="mono">{name}</td>
        <td class="left mono">{value}</td>
        <td class={'left soft' + (says ? ' says' : '')}>{meaning}</td>
      </tr>
    ))}
  </PlainTable>
)

type Pair = [string, string]

// OwnParams edits the parameters that a person adds to the link.
const OwnParams = ({ list, on }: { list: Pair[]; on: (list: Pair[]) => void }) => (
  <>
    {list.map(([name, value], i) => (
      <div key={i} class="row">
        <Input
          class="mono"
          aria-label={t.link.ownName(i + 1)}
          placeholder={t.link.param}
          value={name}
          on={v => on(list.map((o, j) => (j === i ? [v, o[1]] : o)))}
        />
        <Input
          class="mono grow"
          aria-label={t.link.ownValue(i + 1)}
          placeholder={t.reports.value}
          value={value}
          on={v => on(list.map((o, j) => (j === i ? [o[0], v] : o)))}
        />
        <Button
          look="quiet icon"
          aria-label={t.parts.remove(name || String(i + 1))}
          onClick={() => on(list.filter((_, j) => j !== i))}
          icon="x"
        />
      </div>
    ))}
    <div class="row">
      <Button look="sm" onClick={() => on([...list, ['', '']])} icon="plus" text={t.link.addOwn} />
      <span class="dim fine">{t.link.ownHint}</span>
    </div>
  </>
)

// Buttons shows the links for the buttons of the landing pages in the flow.
function Buttons({ of: streams, origin }: { of: Path[]; origin: string }) {
  const ids = new Set(streams.flatMap(s => s.destinations.map(d => d.id))),
    landers = useLanders()?.filter(l => ids.has(l.id)) ?? []
  return (
    <>
      {landers.map(l => (
        <Part key={l.id} look="card" title={`${recordWords.fields.slots}: ${l.name}`}>
          <ClickOut of={l} origin={origin} />
        </Part>
      ))}
    </>
  )
}

type PostbacksProps = { of: TabProps['detail']['networks']; networks?: NetworkRow[]; source?: SourceRow }

// Postbacks shows the postbacks from the campaign's networks, and the postback to its source.
const Postbacks = ({ of: campaignNetworks, networks, source }: PostbacksProps) => (
  <Part look="card" title={t.link.postbacks}>
    <p class="dim">{t.link.postbacksText}</p>
    {campaignNetworks.length === 0 && (
      <p>
        {t.link.noNetwork}{' '}
        <a class="link" href={to('/app/networks')}>
          {t.kinds.networks.title}
        </a>
      </p>
    )}
    {campaignNetworks.map(n => (
      <NetworkPostback key={n.id} name={n.name} of={networks?.find(o => o.id === n.id)} />
    ))}
    {source && <ToldSource of={source} />}
  </Part>
)

// ToldSource shows the postback address at which the service reports conversions to the source. If values in the address are missing,
// it names them instead.
function ToldSource({ of: s }: { of: SourceRow }) {
  if (missingOf(s).length) return <Untold of={s} />
  return s.postback_url ? (
    <div class="field">
      <span class="label">{t.link.toSource(s.name)}</span>
      <code class="mono wrap">{s.postback_url}</code>
    </div>
  ) : null
}

const NetworkPostback = ({ name, of: n }: { name: string; of?: NetworkRow }) => (
  <div class="field">
    <span class="label">{t.link.pasteAt(name)}</span>
    {n ? (
      <>
        <NetworkURL of={n} />
        {n.offer_url_suffix && (
          <small class="dim">
            <code class="mono">{n.offer_url_suffix}</code> {t.link.suffix}
          </small>
        )}
      </>
    ) : (
      <span class="dim">{t.loading}</span>
    )}
  </div>
)

// isNew reports whether a click came after the time `since`. The browser's clock may be up to five seconds ahead of the service's, so
// a click in the five seconds before `since` counts too.
const isNew = (c: ClickRow, since: number) => Date.parse(c.at) >= since - 5000

// FirstClick waits for the first visitor of a campaign and reports the visit.
function FirstClick({ id, network }: { id: string; network?: NetworkRow }) {
  const [click, setClick] = useState<ClickRow | null>()
  const { data } = use('GET /logs/clicks', click ? null : { 'f.campaign_id': [id], limit: 1, from: '2020-01-01' }, 3)
  const row = data?.rows[0],
    [openedAt] = useState(Date.now),
    [conversion, setConversion] = useState<ConversionRow>(),
    offers = useOffers(!!click)
  useEffect(() => {
    if (row && !click) {
      setClick(row)
      if (isNew(row, openedAt)) touches('campaigns', 'reports')
    }
  }, [row, click, openedAt])
  if (click ? !isNew(click, openedAt) : !data) return null
  return (
    <section class={'card part first ' + (click ? 'here' : '')} role="status">
      <div class="row wraps">
        <Sign name={click ? 'check' : 'clock'} tone={click ? 'good' : 'accent'} />
        <div class="grow">
          <div class="strong">
            {conversion
              ? setupWords.first.doneTitle(amount(conversion.payout, conversion.currency))
              : click
                ? t.link.firstHere
                : t.link.waiting}
          </div>
          <div class="dim fine">
            {click
              ? t.link.firstFrom(
                  click.country ? country(click.country) : t.unknown,
                  (t.devices[click.device_type] ?? click.device_type) || t.unknown,
                  hourOf(Date.parse(click.at)),
                )
              : t.link.waitingText}
          </div>
          {click?.is_bot && <div class="warn fine">{setupWords.first.firstIsBot}</div>}
        </div>
        {click && network && !network.postback_scheme && canWrite() && (
          <TestConversion network={network} offer={offers?.find(o => o.id === click.offer_id)} click={click} came={setConversion} />
        )}
        {!click && canWrite() && <Link look="sm" href={to(`/app/campaigns/${id}/flow`)} text={setupWords.first.toFlow} />}
        {click && <Link look="sm" href={to(`/app/campaigns/${id}/clicks`, { click: click.click_id })} text={t.clicks.why} />}
        {click && <Link look="sm" href={to(`/app/campaigns/${id}/figures`)} text={t.link.itsFigures} />}
      </div>
    </section>
  )
}

const fieldName = (field: string, names: SubNames) =>
  t.clicks.fields[field] ??
  ({ cost: t.figures.names.cost, currency: t.campaigns.fields.currency } as Record<string, string>)[field] ??
  dimensionName(field, names)

// Test tries a link without recording anything. `link` has made-up values in place of the macros.
function Test({ id, link, names }: { id: string; link: string; names: SubNames }) {
  const [result, setResult] = useState<TestedClick>(),
    { busy, wrong: error, run: attempt } = useAttempt(asError),
    shown = useRef<HTMLDivElement>(null)
  useEffect(() => shown.current?.scrollIntoView({ block: 'nearest' }), [result])
  const run = () => attempt(() => call('POST /campaigns/{id}/test-click', { path: { id }, body: { url: link } }).then(setResult))
  return (
    <section class="card part">
      <div class="row">
        <h2>{t.link.test}</h2>
        <span class="grow" />
        <Button disabled={busy} onClick={run} icon="play" text={t.link.tryIt} />
      </div>
      <p class="dim">{t.link.testText}</p>
      {error && <Failed error={error} again={run} />}
      {result && (
        <div ref={shown}>
          <TestSteps of={result.steps} names={t.link.steps} />
          {result.click && result.click.params.length > 0 && (
            <Params
              label={t.link.arrives}
              heads={[t.reports.value, t.link.readAs]}
              rows={result.click.params.map(p => [
                p.name,
                p.value || t.link.notFilled,
                p.field ? fieldName(p.field, names) : t.link.onlyTokens,
              ])}
            />
          )}
          {result.destination && (
            <p class="mono wrap">
              {result.http_status} {result.destination}
            </p>
          )}
        </div>
      )}
    </section>
  )
}
