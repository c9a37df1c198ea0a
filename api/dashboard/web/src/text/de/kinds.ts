// The German titles and hints of the lists of offers, landing pages, sources and networks.
import type { words as en } from '../en/kinds.ts'

export const words: typeof en = {
  kinds: {
    offers: {
      title: 'Offers',
      add: 'Neues Offer',
      empty: 'Noch keine Offers.',
      emptyMore:
        'Ein Offer ist die Seite, auf der Besucher kaufen oder sich anmelden. Seine URL enthält {clickid}, damit das Netzwerk melden kann, welcher Klick konvertiert hat.',
    },
    landers: {
      title: 'Landingpages',
      add: 'Neue Landingpage',
      empty: 'Noch keine Landingpages.',
      emptyMore: 'Eine Landingpage kommt vor dem Offer. Ihre Knöpfe führen über die Tracking-Domain weiter.',
    },
    sources: {
      title: 'Traffic-Quellen',
      add: 'Neue Traffic-Quelle',
      empty: 'Noch keine Traffic-Quellen.',
      emptyMore: 'Eine Traffic-Quelle setzt Zone, Kosten und Klick-ID in die Links ein und bekommt Conversions gemeldet.',
    },
    networks: {
      title: 'Netzwerke',
      add: 'Neues Netzwerk',
      empty: 'Noch keine Netzwerke.',
      emptyMore:
        'Ein Netzwerk bezahlt Conversions. Für jedes hier angelegte Netzwerk gibt es eine Postback-URL. Sobald sie beim Netzwerk eingetragen ist, meldet es jede Conversion.',
    },
  },
}
