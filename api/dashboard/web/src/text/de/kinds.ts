// The German names of offers, landing pages, sources and networks, which every screen needs.
import type { words as en } from '../en/kinds.ts'

export const words: typeof en = {
  kinds: {
    offers: {
      title: 'Offers',
      add: 'Neues Offer',
      empty: 'Noch kein Offer.',
      emptyMore: 'Bei einem Offer konvertiert ein Besucher. Seine Adresse enthält {clickid}, damit das Netzwerk sagen kann, wer es war.',
    },
    landers: {
      title: 'Landingpages',
      add: 'Neue Landingpage',
      empty: 'Noch keine Landingpage.',
      emptyMore: 'Eine Landingpage kommt vor dem Offer. Ihre Knöpfe führen über die Tracking-Domain weiter.',
    },
    sources: {
      title: 'Traffic-Quellen',
      add: 'Neue Traffic-Quelle',
      empty: 'Noch keine Traffic-Quelle.',
      emptyMore: 'Eine Traffic-Quelle füllt Links mit ihrer Zone, ihren Kosten und ihrer Klick-ID und erfährt von Conversions.',
    },
    networks: {
      title: 'Netzwerke',
      add: 'Neues Netzwerk',
      empty: 'Noch kein Netzwerk.',
      emptyMore: 'Ein Netzwerk bezahlt Conversions und meldet sie per Postback, der hier fertig zum Eintragen steht.',
    },
  },
}
