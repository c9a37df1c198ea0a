import type { NetworkRow } from '../api.gen.ts'
import { to } from '../core/router.ts'
import { t } from '../core/text.ts'
import { Copy } from './copy.tsx'

// NetworkURL shows the postback URL that a person pastes into the settings of a network. It warns if the network has no macro for the
// click id, because a postback without a click id finds no click. A network that signs its notifications needs no macro.
export const NetworkURL = ({ of: n }: { of: NetworkRow }) => (
  <>
    <Copy text={n.postback_url} label={t.link.postbackOf(n.name)} lines />
    {!n.macros.click_id && !n.postback_scheme && (
      <small class="warn">
        {t.link.noMacro}{' '}
        <a class="link" href={to('/app/networks', { id: n.id })}>
          {n.name}
        </a>
      </small>
    )}
  </>
)
