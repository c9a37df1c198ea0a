import { useEffect, useState } from 'preact/hooks'
import type { CertificateAnswer, DomainRow, PointAnswer, VerifyAnswer, ZonesOfAccount } from '../../api.gen.ts'
import { Button, Link } from '../../parts/button.tsx'
import { Part, Fact } from '../../parts/card.tsx'
import { useBusy } from '../../core/busy.ts'
import { asError, call, type ApiError } from '../../core/call.ts'
import { ago } from '../../core/dates.ts'
import { versionOf } from '../../core/latest.ts'
import { touches, use } from '../../core/query.ts'
import { to } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { recordWords } from '../../text/records.ts'
import { w } from '../../text/domains.ts'
import { Copy } from '../../parts/copy.tsx'
import { RecordForm, type Draft, type Section } from '../../parts/record_form.tsx'
import { Sheet } from '../../parts/sheet.tsx'
import { Alert } from '../../parts/state.tsx'
import { sentence } from '../../core/errors.ts'
import { asWritten } from '../../core/idn.ts'
import { Stepper, useLetters, type Steps } from '../../parts/stepper.tsx'
import { failed, toastAndReload } from '../../core/toast.ts'
import { CertificateSteps } from './certificate.tsx'
import { Certificate, Ending, makeDefault, mayChange, codeText, tagsOf, State, usedBy, isPending } from './shared.tsx'

const every = 10 // seconds between checks of a domain that is not set up yet

// useChecks checks a domain regularly while the domain is not fully set up. secondsLeft is the time until the next check, or null
// during a check and before the first one.
function useChecks(d: DomainRow, check: () => Promise<unknown>) {
  const [secondsLeft, setSecondsLeft] = useState<number | null>(null),
    on = mayChange() && isPending(d)
  const checkNow = async () => {
    setSecondsLeft(null)
    await check()
    setSecondsLeft(every)
  }
  useEffect(() => {
    if (on) void checkNow()
    // eslint-disable-next-line react-hooks/exhaustive-deps -- a domain is checked as soon as it is opened
  }, [])
  useEffect(() => {
    if (!on || secondsLeft === null) return
    const timer = setTimeout(() => {
      if (document.hidden) setSecondsLeft(every)
      else if (secondsLeft > 1) setSecondsLeft(secondsLeft - 1)
      else void checkNow()
    }, 1000)
    return () => clearTimeout(timer)
    // eslint-disable-next-line react-hooks/exhaustive-deps -- checkNow is a new function in each render
  }, [secondsLeft, on])
  return { secondsLeft, on, checkNow }
}

type Props = { of: DomainRow; target: string | null; groups: string[]; close: () => void; step: Steps; remove: () => void }

// DomainSheet shows a domain: its state, the DNS records to set, its certificate and its settings.
export function DomainSheet({ of: d, target, groups, close, step, remove }: Props) {
  const [found, setFound] = useState<VerifyAnswer>(),
    [error, setError] = useState<ApiError>(),
    [certificate, setCertificate] = useState<CertificateAnswer>(),
    [dirty, setDirty] = useState(false),
    may = mayChange()
  const verify = () =>
    call('POST /domains/{id}/verify', { path: { id: d.id } }).then(
      v => {
        setFound(v)
        setError(undefined)
        touches('domains')
      },
      e => setError(asError(e)),
    )
  const checks = useChecks(d, verify)
  useLetters(step)
  const needsRecords =
    !d.points || !d.is_verified || d.proof === 'before' || found?.proof === 'none' || certificate?.ownership || certificate?.ownership_http
  const checkedAt = found?.checked_at ?? d.checked_at
  return (
    <Sheet
      side
      reads
      title={asWritten(d.domain)}
      close={close}
      keep={() => dirty}
      beside={<State of={d} />}
      foot={
        <>
          {may && (
            <span class="fine dim" role="status">
              {checks.on ? (checks.secondsLeft === null ? w.looking : w.looksAgain(checks.secondsLeft)) : ''}
            </span>
          )}
          <span class="grow" />
          <Stepper of={step} />
          {may && (
            <Button
              look="primary"
              disabled={checks.on && checks.secondsLeft === null}
              onClick={() => void checks.checkNow()}
              text={w.check}
            />
          )}
        </>
      }>
      <div class="story">
        <Part title={w.facts}>
          <dl class="facts">
            <Fact name={w.leads} value={d.points === null ? w.unknown : d.points ? w.yes : w.no} />
            <Fact name={w.provedBy} value={w.proofs[d.proof]} />
            <Fact name={w.https} value={d.https === null ? w.unknown : d.https ? w.yes : w.no} />
            <Fact name={w.certificate} value={<Certificate status={d.ssl_status} />} />
            <Fact name={w.certificateUntil} value={<Ending at={d.certificate_expires_at} />} />
            <Fact name={w.registered} value={<Ending at={d.registered_until} />} />
            <dt>{w.used}</dt>
            <dd>
              {usedBy(d) || w.nothing}
              {tagsOf(d).map(s => (
                <>
                  {' '}
                  <span class="tag">{s}</span>
                </>
              ))}
            </dd>
            <Fact name={w.checked} value={checkedAt ? ago(checkedAt) : w.never} />
          </dl>
        </Part>
        {(found || error) && (
          <section class="part" aria-live="polite">
            <h2>{w.seen}</h2>
            {error ? (
              <Alert look="bad wrap" text={codeText(error.code) ?? sentence(error)} />
            ) : (
              found && (
                <>
                  <p class="strong wrap">{w.detail(found.detail)}</p>
                  <dl class="facts">
                    <Fact name={w.expected} value={found.expected} look="mono wrap" />
                    <Fact name={w.dnsSays} value={found.records.join(', ') || w.nothingInDNS} look="mono wrap" />
                  </dl>
                </>
              )
            )}
          </section>
        )}
        {needsRecords && <Records of={d} target={target} certificate={certificate} />}
        <CertificateSteps of={d} onAnswer={setCertificate} />
        {d.failed_over > 0 && (
          <Part title={w.spareTitle}>
            <div class="row">
              <p class="grow warn">{w.onSpare(d.failed_over)}</p>
              {may && <Button onClick={() => void failBack(d)} text={w.failBack} />}
            </div>
          </Part>
        )}
        <Settings of={d} groups={groups} may={may} onDirty={setDirty} />
        <section class="part">
          <div class="row">
            <span class="grow dim">{w.defaultText}</span>
            {may && !d.is_default && <Button disabled={!d.is_verified} onClick={() => void makeDefault(d)} text={w.makeDefault} />}
          </div>
          {may && (
            <div class="row">
              <span class="grow dim">{w.removeText}</span>
              <Button onClick={remove} icon="trash" text={w.remove} />
            </div>
          )}
        </section>
      </div>
    </Sheet>
  )
}

// failBack moves the campaigns of a domain back to it from the spare domain.
const failBack = (d: DomainRow) =>
  call('PATCH /domains', { body: { id: d.id, action: 'fail_back' } }).then(
    ({ campaigns, kept }) => toastAndReload(w.cameBack(campaigns ?? 0, kept ?? 0), 'domains', 'campaigns'),
    failed,
  )

// Records shows the records to set in DNS and, if the certificate needs it, the page to serve as a proof.
function Records({ of: d, target, certificate: c }: { of: DomainRow; target: string | null; certificate?: CertificateAnswer }) {
  const list = [...d.dns_records, ...(c?.ownership ? [c.ownership] : [])]
  return (
    <Part title={w.records}>
      <p class="dim">
        {w.recordsText(d.domain)} {w.recordsWhy}
      </p>
      {!target && <p class="warn">{w.noTarget}</p>}
      {list.map(r => (
        <dl key={r.name + r.type} class="facts record-to-set">
          {r === c?.ownership && <dt class="across dim">{w.proof}</dt>}
          <Fact name={w.type} value={<b>{r.type.toUpperCase()}</b>} />
          <Fact name={t.overview.name} value={<Copy text={r.name} label={`${r.type} ${t.overview.name}`} />} />
          <Fact name={t.reports.value} value={<Copy text={r.value} label={`${r.type} ${t.reports.value}`} />} />
        </dl>
      ))}
      {c?.ownership_http && (
        <dl class="facts record-to-set">
          <dt class="across dim">{w.page}</dt>
          <Fact name={t.campaigns.address} value={<Copy text={c.ownership_http.http_url} label={t.campaigns.address} />} />
          <Fact name={w.text} value={<Copy text={c.ownership_http.http_body} label={w.text} />} />
        </dl>
      )}
      {list[0]?.type === 'ALIAS' && <p class="dim">{w.apexHint}</p>}
      {mayChange() && target && <PointForMe of={d} />}
    </Part>
  )
}

// PointForMe sets a domain's record through the DNS account that holds the domain's zone.
function PointForMe({ of: d }: { of: DomainRow }) {
  const accounts = use('GET /integrations', {}).data?.accounts,
    [zones, setZones] = useState<ZonesOfAccount[]>(),
    [busy, run] = useBusy(),
    [result, setResult] = useState<PointAnswer>()
  const holder = zones?.flatMap(a =>
    a.zones.filter(z => d.domain === z || d.domain.endsWith('.' + z)).map(zone => ({ zone, account: a.label || a.provider })),
  )[0]
  if (!accounts) return null
  if (accounts.length === 0)
    return (
      <p class="dim">
        {w.connectDNS}{' '}
        <a class="link" href={to('/app/integrations')}>
          {w.connect}
        </a>
      </p>
    )
  if (result)
    return (
      <div role="status">
        <p class={result.ok ? 'good' : 'bad'}>{result.message}</p>
        <p class="mono wrap fine">{result.detail}</p>
        {result.note && <p class="dim">{result.note}</p>}
      </div>
    )
  if (holder)
    return (
      <div class="row">
        <span class="grow wrap">{w.pointText(holder.zone, holder.account)}</span>
        <Button
          look="primary"
          disabled={busy}
          onClick={() =>
            void run(async () => {
              setResult(await call('POST /domains/{id}/point', { path: { id: d.id } }))
              touches('domains')
            })
          }
          text={w.pointForMe}
        />
      </div>
    )
  return (
    <div class="row">
      <span class="grow dim">{zones ? w.noZone : ''}</span>
      {zones ? (
        <Link href={to('/app/integrations')} text={w.connect} />
      ) : (
        <Button
          disabled={busy}
          onClick={() => void run(() => call('GET /integrations/zones').then(z => setZones(z.accounts)))}
          text={w.findZone}
        />
      )}
    </div>
  )
}

function Settings({ of: d, groups, may, onDirty }: { of: DomainRow; groups: string[]; may: boolean; onDirty: (dirty: boolean) => void }) {
  const sections: Section[] = [
    {
      title: t.rooms.settings,
      specs: [
        { name: 'group_name', kind: 'group', label: t.lists.group, hint: w.groupHint, known: groups },
        {
          name: 'crawlers',
          kind: 'select',
          label: w.crawlers,
          hint: w.crawlersHint,
          options: ['disallow', 'allow'].map(value => ({ value, label: w.crawlerChoices[value]! })),
        },
        { name: 'https_only', kind: 'switch', label: w.httpsOnly, hint: w.httpsOnlyHint },
        { name: 'failover', kind: 'switch', label: w.failover, hint: w.failoverHint },
        { name: 'index_page', kind: 'url', label: w.index, hint: w.indexHint },
        { name: 'tag_name', kind: 'text', label: w.tagName, hint: w.tagNameHint, mono: true, max: 50 },
      ],
    },
  ]
  // All fields are sent, because the service sets most fields that are left out back to their defaults.
  const fieldsOf = (of: Draft): Draft => Object.fromEntries(sections[0]!.specs.map(s => [s.name, of[s.name]]))
  const save = async (draft: Draft, _: string[], match?: string) => {
    await call('PATCH /domains', { body: { ...fieldsOf(draft), id: d.id }, match })
    toastAndReload(recordWords.saved(d.domain), 'domains', 'goals', 'campaigns')
  }
  return (
    <RecordForm
      sections={sections}
      value={d as unknown as Draft}
      save={save}
      latest={() =>
        call('GET /domains', { query: { limit: 500 } }).then(now => {
          const found = now.rows.find(o => o.id === d.id)
          return found && { fields: fieldsOf(found as unknown as Draft), match: versionOf(found) }
        })
      }
      submit={t.parts.save}
      readOnly={!may}
      byCode={{ invalid_index_page: 'index_page' }}
      onDirty={onDirty}
    />
  )
}
