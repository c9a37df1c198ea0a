import type { CampaignRow } from '../../api.gen.ts'
import { useDomains, useGroups } from '../../core/campaign.ts'
import { me } from '../../core/me.ts'
import { t } from '../../core/text.ts'
import { useAsk } from '../../parts/ask.tsx'
import { BulkEdit, choiceSpec, statusSpec } from '../../parts/bulk_edit.tsx'
import type { Draft } from '../../parts/record_form.tsx'
import { w } from '../../text/bulk.ts'
import { goLiveAll } from './change.ts'

const fields = t.campaigns.fields
const models = Object.entries(fields.costModels).map(([value, label]) => ({ value, label }))
const currency = (d: Draft) => String(d.currency || me.value!.account.currency)

// EditMany changes cost, domain, state, group and tags of several campaigns. Before it sets campaigns active, it checks them.
export function EditMany({ rows, done, close }: { rows: CampaignRow[]; done: () => void; close: () => void }) {
  const domains = useDomains(),
    groups = useGroups('campaigns'),
    [question, ask] = useAsk()
  const before = (body: Draft, save: () => Promise<void>) =>
    body.status === 'active'
      ? goLiveAll(
          rows.filter(r => r.status !== 'active'),
          ask,
          save,
        )
      : save()
  return (
    <>
      <BulkEdit
        name="campaigns"
        rows={rows}
        groups={groups}
        before={before}
        done={done}
        close={close}
        byCode={{ invalid_domain: 'domain_id', alias_taken: 'domain_id' }}
        specs={[
          statusSpec(['active', 'paused', 'archived']),
          { name: 'domain_id', kind: 'combo', label: t.campaigns.domain, hint: w.domainHint, choices: domains, none: w.unchanged },
        ]}
        sections={[
          {
            title: t.figures.names.cost,
            specs: [
              choiceSpec('cost_model', fields.costModel, models),
              { name: 'cost_value', kind: 'money', label: fields.costValue, currency, when: d => d.cost_model !== 'revshare' },
              { name: 'cost_value', kind: 'number', label: fields.costShare, unit: '%', min: 0, when: d => d.cost_model === 'revshare' },
              { name: 'currency', kind: 'text', label: fields.currency, max: 3, mono: true },
            ],
          },
        ]}
      />
      {question}
    </>
  )
}
