// The texts of the comparison of paths, landing pages and offers.
import { counted, named } from '../words.ts'

const of = counted('en')

export const words = {
  title: 'Which is better',
  compare: 'Compare',
  choose: 'Each campaign splits its visitors on its own. Choose the campaign in which to compare.',
  kinds: named({ stream: 'Paths', lander: 'Landing pages', offer: 'Offers' }),
  slot: (n: number) => `slot ${n}`,
  earns: named({ earnings: 'Earnings per click', conversions: 'Converts' }),
  best: 'Best',
  behind: 'Behind the best',
  missing: 'Still needed',
  weight: 'Weight',
  interval: (low: string, high: string) => `${low} to ${high}`,
  decided: (name: string, chance: string) => `“${name}” is better, with a probability of ${chance}.`,
  open: (name: string, chance: string) => `“${name}” is probably better (probability: ${chance}), but this may still be chance.`,
  alike: 'So far they earn about the same.',
  early: 'Too early to tell.',
  many: 'More than 20 cannot be compared at once.',
  more: (n: number, shown: string) => `About ${of(n, 'more click', 'more clicks', shown)} needed.`,
  moreDays: (n: number, shown: string) => `Clicks of at least ${of(n, 'more day', 'more days', shown)} needed.`,
  unknown: 'No conversions yet, so nobody can say how many clicks it takes.',
  loses: 'certain',
  each: (shown: string) => `${shown} clicks each`,
  minimum: 'It takes 20 conversions, 3 days and 100 clicks of each before anything is estimated.',
  note: named({
    earnings:
      'Compared by approved and pending payouts for each click. The cost of a click is the same for all, because only the weights decide where it goes.',
    conversions: 'Compared by conversions for each click: no payouts are known, so this says nothing about money.',
  }),
  assumed: 'There are too few payouts to see how much they vary. The intervals assume that they vary much.',
  apply: 'Apply weights',
  applyTitle: 'Apply these weights?',
  applyText:
    'Each variant gets visitors in proportion to its probability of being the best. 10% of the visitors are spread evenly, so that every variant gets some.',
  openText: 'The lead may still be chance. You can undo the change.',
  before: 'Now',
  after: 'Then',
  done: 'The weights are live',
  undone: 'The weights are as before',
  stale: 'The flow has changed since these figures were read. Look at them again.',
  nothing: 'Nothing to compare: no visitors are split by weight here.',
  leftOut: (shown: string) => `Not compared: ${shown}`,
  reasons: named({
    paused: 'paused',
    no_weight: 'has no weight',
    capped: 'has a cap: when it is reached, its visitors go to the others',
    alone: 'nothing else gets the same visitors',
    address: 'a URL has no figures of its own',
    twice: 'is in several slots of the path',
    not_drawn: 'is not drawn by weight',
  }),
}
