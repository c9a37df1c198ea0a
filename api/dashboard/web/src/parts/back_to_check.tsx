import { checkOf } from '../core/campaign.ts'
import { w } from '../text/check.ts'
import { Icon } from './icons.tsx'

// BackToCheck leads back to the check of a campaign, from a screen that the check has opened.
export const BackToCheck = ({ campaign }: { campaign: string }) => (
  <p>
    <a class="btn sm" href={checkOf(campaign)}>
      <Icon name="back" />
      {w.back}
    </a>
  </p>
)
