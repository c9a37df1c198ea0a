import { useState } from 'preact/hooks'
import type { DomainAdded } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { useAttempt } from '../../core/busy.ts'
import { asError, call } from '../../core/call.ts'
import { use } from '../../core/query.ts'
import { to } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { w } from '../../text/domains.ts'
import { ComboField } from '../../parts/combobox.tsx'
import { Area, Field, FormError, Switch, wrongOf, type Wrong, SelectField } from '../../parts/form.tsx'
import { Sign } from '../../parts/icons.tsx'
import { FormSheet, Sheet } from '../../parts/sheet.tsx'
import { toastAndReload } from '../../core/toast.ts'
import { codeText } from './shared.tsx'

const explain = (e: unknown): Wrong => {
  const error = asError(e),
    found = wrongOf(error, ['domain', 'group_name', 'dns_account_id'], {
      invalid_domain: 'domain',
      duplicate: 'domain',
      shared_domain: 'domain',
      reserved_domain: 'domain',
      too_many: 'domain',
      required: 'domain',
      dns_account_not_found: 'dns_account_id',
      invalid_dns_account: 'dns_account_id',
    })
  return { ...found, text: error.code === 'invalid_domain' ? error.message : (codeText(error.code) ?? found.text) }
}

// AddDomains adds one hostname or a pasted list of hostnames. If a DNS account is chosen, the service sets the DNS records of the
// hostnames immediately.
export function AddDomains({ known, close, show }: { known: string[]; close: () => void; show: (id: string) => void }) {
  const accounts = use('GET /integrations', {}).data?.accounts,
    [hosts, setHosts] = useState(''),
    [dns, setDns] = useState(''),
    [group, setGroup] = useState(''),
    [failover, setFailover] = useState(false),
    { busy, wrong, run } = useAttempt(explain),
    [added, setAdded] = useState<DomainAdded>()
  const add = () =>
    run(async () => {
      const answer = await call('POST /domains', {
        body: { domain: hosts, group_name: group, failover, ...(dns ? { dns_account_id: dns } : {}) },
      })
      toastAndReload(w.added(answer.added.length, answer.added[0]!), 'domains')
      if (answer.dns.length || answer.skipped.length) setAdded(answer)
      else {
        close()
        if (answer.added.length === 1) show(answer.id)
      }
    })
  if (added)
    return (
      <Sheet
        title={w.pointed}
        close={close}
        foot={
          <>
            <span class="grow" />
            <Button look="primary" onClick={close} text={t.reports.done} />
          </>
        }>
        <div class="body">
          {added.skipped.length > 0 && <p class="warn wrap">{w.skipped(added.skipped.join(', '))}</p>}
          <ul class="list pointed">
            {added.dns.map(p => (
              <li key={p.host}>
                <Sign name={p.ok ? 'check' : 'warn'} tone={p.ok ? 'good' : 'warn'} />
                <div class="grow">
                  <div class="t">
                    {p.host}: {w.pointActions[p.action] ?? p.action}
                  </div>
                  <div class="d wrap">{p.message}</div>
                  {p.record && (
                    <div class="d mono wrap">
                      {p.record.name} {p.record.type} {p.record.value}
                    </div>
                  )}
                </div>
              </li>
            ))}
          </ul>
        </div>
      </Sheet>
    )
  const errorAt = (name: string) => (wrong?.field === name ? wrong.text : undefined)
  return (
    <FormSheet title={w.add} close={close} keep={() => hosts.trim() !== ''} go={w.add} off={busy || !hosts.trim()} send={add}>
      <Field label={w.hosts} hint={dns ? w.hostsHintDNS : w.hostsHint} error={errorAt('domain')}>
        {wired => <Area wired={wired} rows={5} max={4000} value={hosts} on={setHosts} />}
      </Field>
      <SelectField
        label={w.dns}
        hint={
          accounts?.length === 0 ? (
            <>
              {w.connectDNS}{' '}
              <a class="link" href={to('/app/integrations')}>
                {w.connect}
              </a>
            </>
          ) : (
            w.dnsHint
          )
        }
        error={errorAt('dns_account_id')}
        value={dns}
        options={[{ value: '', label: w.dnsNone }, ...(accounts ?? []).map(a => ({ value: a.id, label: a.label || a.provider }))]}
        on={setDns}
      />
      <ComboField
        label={t.lists.group}
        hint={w.groupHint}
        error={errorAt('group_name')}
        value={group}
        choices={known.map(k => ({ value: k, label: k }))}
        free
        clear
        empty={t.parts.typeNew}
        on={setGroup}
      />
      <Switch shown on={failover} set={setFailover} label={w.failover} />
      <FormError wrong={wrong} />
    </FormSheet>
  )
}
