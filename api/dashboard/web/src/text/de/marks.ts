import type { words as en } from '../en/marks.ts'

export const words: typeof en = {
  marks: 'Änderungen und Notizen', of: (n, when) => n === 1 ? `1 Änderung oder Notiz, ${when}` : `${n} Änderungen und Notizen, ${when}`, more: n => `${n} weitere`, truncated: 'Nur die neuesten dieses Zeitraums werden gezeigt.',
  add: 'Notiz hinzufügen', addTo: 'Notiz in diesem Diagramm anlegen', edit: 'Notiz bearbeiten', remove: 'Löschen', save: 'Speichern', note: 'Notiz', by: who => `von ${who}`, key: name => `Schlüssel ${name}`, date: 'Tag', time: 'Uhrzeit', text: 'Text', textHint: 'Was passiert ist, damit es alle im Konto auch später wissen.', about: 'Betrifft', all: 'Alle Kampagnen',
  saved: 'Die Notiz ist gespeichert', removed: 'Die Notiz ist gelöscht', zone: zone => `nach der Uhr von ${zone}`, copilot: 'Copilot', undone: 'inzwischen zurückgenommen', sent: fields => `Geändert: ${fields}`, needsText: 'Bitte eintragen, was passiert ist.', needsDate: 'Bitte einen Tag wählen.',
  kinds: { campaign: 'Kampagne', flow: 'gespeicherter Flow', rule: 'gespeicherte Regel', offer: 'Offer', lander: 'Landingpage', source: 'Quelle', network: 'Netzwerk', smartlink: 'Smartlink', domain: 'Domain', bots: 'Bot-Einstellungen', settings: 'Einstellungen', copilot: 'Copilot-Regel' },
  made: (kind, name) => `Neu: ${kind}${name}`, copied: (kind, name) => `Kopiert: ${kind}${name}`, changed: (kind, name) => `Geändert: ${kind}${name}`, deleted: (kind, name) => `Gelöscht: ${kind}${name}`, flow: name => `Flow geändert: Kampagne${name}`, cleared: name => `Statistik gelöscht: Kampagne${name}`, named: name => ` „${name}“`,
}
