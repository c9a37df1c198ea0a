// Texte für den Umzug von einem anderen Tracker und für die Konfiguration als Dokument.
import type { words as english } from '../en/config.ts'
import { counted } from '../words.ts'

const some = counted('de')
const names: Record<string, string> = {
  create: 'neu', change: 'geändert', same: 'unverändert', delete: 'gelöscht', archive: 'archiviert', refused: 'abgelehnt',
}

export const words: typeof english = {
  bringIn: 'Anderen Tracker übernehmen',
  bringInText:
    'Liest Kampagnen, Offers, Landingpages, Quellen, Netzwerke und Domains des anderen Trackers. Dort ändert sich nichts, und hier erst, wenn der Plan angewendet wird.',
  readOnly: 'Der Zugriff ist nur zum Lesen',
  tracker: 'Tracker',
  url: 'URL des Trackers',
  urlHint: 'Wie im Browser, ohne Pfad.',
  key: 'API-Schlüssel',
  keyHint: {
    keitaro: 'Keitaro: Profil, API-Schlüssel. Er dient nur diesem Import und wird danach gelöscht.',
    binom: 'Binom: Einstellungen, Benutzer, API-Schlüssel. Er dient nur diesem Import und wird danach gelöscht.',
  },
  dump: 'Oder ein Dump der Datenbank',
  dumpHint: 'Die Ausgabe von mysqldump, auch mit gzip, höchstens 24 MB. Tabellen mit Klicks werden nicht gelesen.',
  dumpTooLarge: 'Der Dump hat mehr als 24 MB. Die Tabellen mit Klicks und Conversions weglassen.',
  read: 'Tracker lesen',
  reading: 'Lesen eines anderen Trackers',
  switchTitle: 'Danach umschalten',
  switchSteps: [
    'Den Plan anwenden. Pfade, denen ein Filter fehlt, sind pausiert: zuerst ansehen.',
    'In jeder Kampagne einige Besucher simulieren und mit dem anderen Tracker vergleichen.',
    'Die Domains hier bestätigen, dann ihren CNAME auf diesen Dienst zeigen lassen. Links in Anzeigen und Postback-URLs bei Netzwerken bleiben, wie sie sind.',
    'Postbacks zu Klicks des anderen Trackers werden an ihn weitergeleitet, wenn seine URL hinterlegt ist.',
  ],
  document: 'Alles als ein Dokument',
  documentText:
    'Netzwerke, Quellen, Landingpages, Offers, Websites mit Zielen, Regeln, Flows, Kampagnen, Smartlinks, Domains und Bot-Listen, ohne Geheimnisse. Es lässt sich in einem Repository pflegen oder in einem anderen Konto verwenden.',
  download: 'YAML herunterladen',
  downloadJSON: 'JSON',
  upload: 'Dokument anwenden',
  uploadText: 'Zuerst ist zu sehen, was es ändern würde. Datensätze, die im Dokument fehlen, bleiben.',
  file: 'Datei',
  text: 'Text des Dokuments',
  tooLarge: 'Ein Dokument darf höchstens 32 MB haben.',
  prune: 'Datensätze, die im Dokument fehlen',
  pruneNone: 'bleiben',
  pruneGroup: 'einer Gruppe werden gelöscht',
  pruneTag: 'mit einem Tag werden gelöscht',
  pruneName: 'Name',
  pruneHint: 'Kampagnen mit Klicks werden stattdessen archiviert.',
  check: 'Änderungen zeigen',
  planning: 'Plan eines Dokuments',
  planned: 'Der Plan ist fertig',
  plan: 'Plan',
  plans: 'Pläne',
  plansText: 'Die neuesten 50',
  noPlans: 'Noch keine Pläne',
  look: 'Öffnen',
  origins: { document: 'Dokument', keitaro: 'Keitaro', binom: 'Binom' },
  states: {
    making: 'Wird erstellt',
    refused: 'Abgelehnt',
    planned: 'Nicht angewendet',
    applying: 'Wird angewendet',
    applied: 'Angewendet',
    stopped: 'Angehalten',
    undoing: 'Wird rückgängig gemacht',
    undone: 'Rückgängig gemacht',
  },
  counts: by =>
    Object.keys(names)
      .filter(op => by[op])
      .map(op => `${by[op]} ${names[op]}`)
      .join(', ') || 'Keine Datensätze',
  done: (n, of) => `${n} von ${of} Datensätzen`,
  wrote: (n, shown) => `${some(n, 'Datensatz', 'Datensätze', shown)} geschrieben`,
  apply: 'Plan anwenden',
  applyN: n => `${n} anwenden`,
  undo: 'Plan rückgängig machen',
  askText: {
    apply: 'Die Datensätze werden nacheinander geschrieben. Der Plan lässt sich als Ganzes rückgängig machen.',
    undo: 'Alles wird wie vor dem Plan. Datensätze, die sich seither geändert haben, bleiben.',
  },
  skip: (n, shown) => `Ohne ${some(n, 'abgelehnten Datensatz', 'abgelehnte Datensätze', shown)} anwenden`,
  kept: 'Diese Datensätze haben sich seither geändert und bleiben:',
  nothing: 'Das Dokument hat keine Datensätze.',
  ops: 'Datensätze',
  opNames: { create: 'Neu', change: 'Geändert', same: 'Unverändert', delete: 'Gelöscht', archive: 'Archiviert', refused: 'Abgelehnt' },
  kinds: {
    domains: 'Domain',
    networks: 'Netzwerk',
    sources: 'Quelle',
    landers: 'Landingpage',
    offers: 'Offer',
    sites: 'Website',
    rules: 'Regel',
    campaigns: 'Kampagne',
    flows: 'Gespeicherter Flow',
    smartlinks: 'Smartlink',
    bot_lists: 'Bot-Liste',
  },
  written: 'geschrieben',
  byDefault: 'Standard',
  more: 'Mehr',
}
