import type { Site } from '../../api.gen.ts'
import { to } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { clickIDPart, withClickID } from '../../core/tokens.ts'
import { setupWords } from '../../text/setup.ts'
import { Button } from '../../parts/button.tsx'
import { ComboField } from '../../parts/combobox.tsx'
import { Field } from '../../parts/form.tsx'
import { UrlInput } from '../../parts/url_input.tsx'

const w = setupWords.wizard

// NoClickID warns that an address has no click id. Without it, no conversion finds its click.
export const NoClickID = ({ url, on }: { url: string; on: (url: string) => void }) => (
  <span class="row wraps">
    <small class="warn">{w.addressNoClick}</small>
    <Button look="sm" onClick={() => on(withClickID(url, 'clickid'))} text={w.addClickID(clickIDPart(url))} />
  </span>
)

type Props = {
  sites?: Site[]
  site?: Site
  url: string
  on: (change: { site?: string; siteURL?: string }) => void
  error: (field: string) => string | undefined
}

// OwnSite lets a person choose one of the account's websites, and the page of it that visitors come to.
export const OwnSite = ({ sites, site, url, on, error }: Props) => {
  if (sites?.length === 0)
    return (
      <p class="across">
        {w.noSites}{' '}
        <a class="link" href={to('/app/goals', { add: '1' })}>
          {w.toGoals}
        </a>
      </p>
    )
  const part = clickIDPart(url)
  return (
    <>
      <ComboField
        label={w.toSite}
        error={error('site')}
        value={site?.id ?? ''}
        placeholder={t.parts.choose}
        choices={sites?.map(s => ({ value: s.id, label: s.name }))}
        on={id => on({ site: id, siteURL: '' })}
      />
      <Field label={w.siteURL} wide hint={url && part ? w.siteAdds(part) : undefined} error={error('siteURL')}>
        {wired => <UrlInput wired={wired} label={w.siteURL} value={url} on={siteURL => on({ siteURL })} />}
      </Field>
    </>
  )
}
