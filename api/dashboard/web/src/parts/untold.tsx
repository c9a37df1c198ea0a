import type { SourceRow } from '../api.gen.ts'
import { nameOf, placeholdersOf } from '../core/placeholders.ts'
import { to } from '../core/router.ts'
import { t } from '../core/text.ts'

// missingOf returns the values that the postback of a source still needs. While a value is missing, no postback is sent to the
// source.
export const missingOf = (s: Pick<SourceRow, 'postback_url' | 'postback_example'>) => placeholdersOf(s.postback_url || s.postback_example)

// fieldsOf returns the address of the screen on which a person enters the missing values.
export const fieldsOf = (s: Pick<SourceRow, 'id'>) => to('/app/sources', { id: s.id, at: 'postback' })

// Untold says that no postbacks are sent to a source, and which values are missing.
export const Untold = ({ of: s }: { of: SourceRow }) => (
  <p class="warn">
    {t.link.notTold(s.name, missingOf(s).map(nameOf).join(', '))}{' '}
    <a class="link tap" href={fieldsOf(s)}>
      {t.link.fillIn}
    </a>
  </p>
)
