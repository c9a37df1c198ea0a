// The English texts of the check of a campaign. The sentences of the findings come from the service.
import { counted } from '../words.ts'

const of = counted('en')

export type Finding = { says: string; costs: string; does: string }

export const words = {
  title: (name: string) => `Check of ${name}`,
  live: 'Go live',
  liveAnyway: 'Go live anyway',
  again: 'Check again',
  back: 'Back to the check',
  allFine: 'Nothing is wrong.',
  allFineMore: 'Everything was looked at.',
  fine: 'Fine',
  looked: (ago: string) => `looked at ${ago}`,
  leftOff: (n: number, area: string) => `${area}: ${of(n, 'more finding', 'more findings')}`,
  never: 'never',
  mending: 'One moment …',
  unknownMore: 'These were not looked at yet. That does not mean that they are fine.',
  states: { problem: 'Problems', unknown: 'Not known', warning: 'Worth a look' } as Record<string, string>,
  mends: { verify_domain: 'Check the domain', check_link: 'Look now', resume: 'Resume', open: 'Open' } as Record<string, string>,
  areas: {
    link: 'Tracking link',
    destinations: 'Destinations',
    macros: 'Tokens',
    source: 'Traffic source',
    cost: 'Cost',
    postbacks: 'Postbacks',
    payout: 'Payout',
    shares: 'Paths',
    fallback: 'Fallback',
    bots: 'Bot filter',
    caps: 'Caps',
    rates: 'Exchange rates',
    landers: 'Landing pages',
    tag: 'Page tag',
  } as Record<string, string>,
  values: {} as Record<string, string>,
  of: {} as Record<string, Finding>,
}
