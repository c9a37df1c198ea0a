import { hasClickID, hasClickIDIn } from '../core/tokens.ts'
import { t } from '../core/text.ts'
import { setupWords } from '../text/setup.ts'

const Param = ({ name }: { name: string }) => (
  <code class="mono">
    {name}={'{clickid}'}
  </code>
)

const w = setupWords.wizard

type Props = { url: string; network?: { name: string; click_param: string } }

// OfferHint says, below the address of an offer, how its network learns which click converted, or that the network cannot learn
// it.
export function OfferHint({ url, network }: Props) {
  if (!url.trim() && network?.click_param)
    return (
      <>
        <Param name={network.click_param} /> {t.link.suffix}
      </>
    )
  if (network?.click_param && hasClickID(url) && !hasClickIDIn(url, network.click_param))
    return <span class="warn">{w.offerElsewhere(network.name, network.click_param)}</span>
  if (!url.trim() || hasClickID(url)) return <>{w.offerHint}</>
  if (network?.click_param)
    return (
      <>
        {w.offerAdds(network.name)} <Param name={network.click_param} />
      </>
    )
  return <span class="warn">{network ? w.offerNoParam(network.name) : w.offerNoClick}</span>
}
