import type { LanderRow } from '../../api.gen.ts'
import { call } from '../../core/call.ts'
import { canWrite } from '../../core/can.ts'
import { latestOf, versionOf } from '../../core/latest.ts'
import { t } from '../../core/text.ts'
import { recordWords } from '../../text/records.ts'
import { toastAndReload } from '../../core/toast.ts'
import { RecordForm, type Draft } from '../../parts/record_form.tsx'
import { Snippet } from './lander_snippet.tsx'

const w = recordWords.protection

// Protection edits which visitors see a landing page, and where all other visitors go.
export function Protection({ of: r, domain }: { of: LanderRow; domain: string }) {
  const latest = () => latestOf('landers', r).then(now => now && { fields: now.protection as unknown as Draft, match: versionOf(now) })
  const save = async (d: Draft, _: string[], match?: string) => {
    await call('PATCH /landers', { body: { id: r.id, protection: d }, match })
    toastAndReload(t.parts.saved, 'landers')
  }
  const on = (d: Draft) => d.enabled === true
  return (
    <details class="folded">
      <summary>
        {w.title}
        {r.protection.enabled && <span class="tag good">{t.lists.states.active}</span>}
      </summary>
      <p class="dim">{w.text}</p>
      <RecordForm
        beside
        value={r.protection as unknown as Draft}
        save={save}
        latest={latest}
        submit={t.parts.save}
        readOnly={!canWrite()}
        byCode={{ invalid_fallback: 'fallbackUrl' }}
        sections={[
          {
            title: w.who,
            specs: [
              { name: 'enabled', kind: 'switch', label: w.enabled },
              { name: 'ttlSeconds', kind: 'number', label: w.ttl, unit: w.seconds, min: 0, whole: true, when: on },
              { name: 'singleUse', kind: 'switch', label: w.once, when: on },
              { name: 'bindIp', kind: 'switch', label: w.ip, when: on },
              { name: 'bindUserAgent', kind: 'switch', label: w.agent, when: on },
              { name: 'blockBots', kind: 'switch', label: w.bots, when: on },
              { name: 'countries', kind: 'tags', label: w.countries, when: on },
              { name: 'denyCountries', kind: 'tags', label: w.notCountries, when: on },
              { name: 'devices', kind: 'tags', label: w.devices, when: on },
              { name: 'referrers', kind: 'tags', label: w.referrers, when: on },
              { name: 'fallbackUrl', kind: 'url', label: w.fallback, hint: t.campaigns.fields.fallbackHint, when: on },
            ],
          },
        ]}
      />
      {r.protection.enabled && <Snippet domain={domain} lander={r.id} />}
    </details>
  )
}
