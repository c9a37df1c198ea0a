// The English of the palette: other words under which people look for a screen.
import { named } from '../words.ts'

export const words = {
  openClick: (id: string) => `Open the click ${id}`,
  also: named({
    '/app/reports': 'statistics stats breakdown analytics',
    '/app/clicks': 'visits log trace why',
    '/app/bots': 'blacklist blocklist deny list whitelist allow list fraud',
    '/app/copilot': 'ai rules automation optimization',
    '/app/campaigns': 'flow funnel tracking link',
    '/app/offers': 'payout caps advertiser',
    '/app/landers': 'landers lp prelander',
    '/app/sources': 'tokens macros traffic channel postback',
    '/app/networks': 'affiliate payout postback',
    '/app/smartlinks': 'short link rotator',
    '/app/goals': 'pixel tag events',
    '/app/import': 'upload migrate csv keitaro voluum binom',
    '/app/conversions': 'payout revenue sales leads',
    '/app/unmatched': 'postback missing conversions lost',
    '/app/corrections': 'cost spend update costs payout csv',
    '/app/exports': 'download csv jobs',
    '/app/domains': 'dns ssl certificate cname',
    '/app/integrations': 'api connection facebook google tiktok',
    '/app/webhooks': 'events endpoint',
    '/app/alerts': 'warnings notifications',
    '/app/plan': 'billing limits usage forecast',
    '/app/settings': 'currency time zone date format account',
    '/app/team': 'users members invite roles',
    '/app/keys': 'token access',
    '/app/audit': 'history changes who',
    '/app/me': 'password two-factor 2fa theme dark language',
  }),
}
