import { useState } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { ComboField } from '../../parts/combobox.tsx'
import { FormError, InputField, wrongOf } from '../../parts/form.tsx'
import { changeAccount } from '../../core/account.ts'
import { useAttempt } from '../../core/busy.ts'
import { asError } from '../../core/call.ts'
import { suggestedCurrency } from '../../core/currency.ts'
import { can, me, zone } from '../../core/me.ts'
import { evictAnswers } from '../../core/query.ts'
import { to } from '../../core/router.ts'
import { handleSubmit } from '../../core/submit.ts'
import { t } from '../../core/text.ts'
import { zones } from '../../core/zones.ts'
import { setupWords } from '../../text/setup.ts'

const w = setupWords.first,
  fieldByCode = { invalid_timezone: 'timezone', invalid_currency: 'currency', rate_missing: 'currency' }

// Counts names the currency and the time zone of the account. While there is no click, an owner can change both here, because no amount
// has to be converted yet. Afterwards it links owners to the settings.
export function Counts({ isEmpty }: { isEmpty: boolean }) {
  const [isOpen, setOpen] = useState(false)
  if (isOpen) return <Form close={() => setOpen(false)} />
  return (
    <p class="dim">
      {w.counts(me.value!.account.currency, zone.value)}{' '}
      {can('owner') &&
        (isEmpty ? (
          <Button look="sm" onClick={() => setOpen(true)} text={w.change} />
        ) : (
          <a class="link" href={to('/app/settings')}>
            {w.change}
          </a>
        ))}
    </p>
  )
}

// Form edits the currency and the time zone. While the account still has the values with which every account begins,
// the form suggests the browser's.
function Form({ close }: { close: () => void }) {
  const [currency, setCurrency] = useState(suggestedCurrency(me.value!.account.currency)),
    [timezone, setTimezone] = useState(zone.value === 'UTC' ? Intl.DateTimeFormat().resolvedOptions().timeZone : zone.value),
    { busy, wrong, run } = useAttempt(e => wrongOf(asError(e), ['currency', 'timezone'], fieldByCode)),
    errorAt = (field: string) => (wrong?.field === field ? wrong.text : undefined)
  const save = () =>
    run(async () => {
      await changeAccount({ currency, timezone })
      evictAnswers()
      close()
    })
  return (
    <form class="record steps-counts" onSubmit={handleSubmit(() => void save())}>
      <div class="fields">
        <InputField
          label={w.currency}
          error={errorAt('currency')}
          class="mono"
          value={currency}
          maxLength={3}
          required
          autofocus
          on={v => setCurrency(v.toUpperCase())}
        />
        <ComboField label={w.timezone} error={errorAt('timezone')} value={timezone} choices={zones} on={v => setTimezone(v || 'UTC')} />
      </div>
      <FormError wrong={wrong} />
      <div class="row">
        <Button type="submit" look="sm primary" disabled={busy} text={t.parts.save} />
        <Button look="sm" onClick={close} text={t.parts.cancel} />
      </div>
    </form>
  )
}
