import type { CostEndpoint, CostPreset } from '../../api.gen.ts'
import { Field, Switch, InputField, SelectField } from '../../parts/form.tsx'
import { Pairs } from '../../parts/pairs.tsx'
import { t } from '../../core/text.ts'
import { recordWords } from '../../text/records.ts'
import { w } from '../../text/integrations.ts'

export const emptyEndpoint: CostEndpoint = {
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
  dateFormat: 'YYYY-MM-DD',
  oneDay: false,
  pageRows: 0,
  firstPage: 0,
}

const dateFormats = ['YYYY-MM-DD', 'DD.MM.YYYY', 'DD/MM/YYYY', 'MM/DD/YYYY', 'YYYYMMDD'] as const

type EndpointProps = { presets: CostPreset[]; value: CostEndpoint; on: (e: CostEndpoint) => void; error?: string }

// Endpoint edits the address from which spend is read, for a platform without an adapter of its own. A preset fills in the
// settings of a known platform.
export function Endpoint({ presets, value: e, on, error }: EndpointProps) {
  const preset = presets.find(p => p.cost_endpoint.url === e.url),
    whole = (v: string) => Math.max(0, Math.trunc(Number(v)) || 0)
  const texts = [
    ['rowsPath', w.source.rowsPath],
    ['dayField', w.source.dayField],
    ['campaignField', w.source.campaignField],
    ['spendField', w.source.spendField],
    ['clicksField', w.source.clicksField],
    ['impressionsField', w.source.impressionsField],
    ['currency', t.campaigns.fields.currency],
  ] as const
  return (
    <div class="fields endpoint">
      <h3 class="label across">{w.source.endpoint}</h3>
      <SelectField
        wide
        label={recordWords.fields.platform}
        hint={preset?.help}
        value={preset?.name ?? ''}
        options={[{ value: '', label: w.source.noPreset }, ...presets.map(p => ({ value: p.name, label: p.label }))]}
        on={name => on(presets.find(p => p.name === name)?.cost_endpoint ?? emptyEndpoint)}
      />
      <InputField
        wide
        label={recordWords.fields.url}
        error={error}
        class="mono"
        maxLength={2000}
        value={e.url}
        on={url => on({ ...e, url })}
      />
      <SelectField
        label={recordWords.fields.method}
        value={e.method || 'GET'}
        options={(['GET', 'POST'] as const).map(v => ({ value: v, label: v }))}
        on={method => on({ ...e, method })}
      />
      <SelectField
        label={w.source.dateFormat}
        value={e.dateFormat || 'YYYY-MM-DD'}
        options={dateFormats.map(v => ({ value: v, label: v }))}
        on={dateFormat => on({ ...e, dateFormat })}
      />
      <div class="across">
        <Switch shown on={e.oneDay} set={oneDay => on({ ...e, oneDay })} label={w.source.oneDay} />
      </div>
      {texts.map(([name, label]) => (
        <InputField key={name} label={label} class="mono" maxLength={200} value={e[name]} on={v => on({ ...e, [name]: v })} />
      ))}
      <InputField
        label={w.source.divisor}
        inputMode="decimal"
        value={e.spendDivisor == null ? '' : String(e.spendDivisor)}
        on={v => on({ ...e, spendDivisor: v.trim() === '' ? null : Number(v) })}
      />
      <InputField
        label={w.source.pageRows}
        hint={w.source.pageRowsHint}
        inputMode="numeric"
        value={e.pageRows ? String(e.pageRows) : ''}
        on={v => on({ ...e, pageRows: whole(v) })}
      />
      <SelectField
        label={w.source.firstPage}
        value={String(e.firstPage)}
        options={['0', '1'].map(v => ({ value: v, label: v }))}
        on={v => on({ ...e, firstPage: whole(v) })}
      />
      <Field wide group label={w.source.headers}>
        {() => (
          <Pairs
            label={w.source.headers}
            heads={[t.overview.name, t.reports.value]}
            value={e.headers}
            on={headers => on({ ...e, headers })}
          />
        )}
      </Field>
    </div>
  )
}
