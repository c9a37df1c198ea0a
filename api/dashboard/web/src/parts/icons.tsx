// The icons, as SVG paths in a square of 24 units.
const paths = {
  overview: 'M3 10.5 12 4l9 6.5V20h-6v-6H9v6H3z',
  reports: 'M4 20V10M10 20V4M16 20v-7M21 20H3',
  down: 'm6 9 6 6 6-6',
  right: 'm9 6 6 6-6 6',
  up: 'M12 19V6M6.5 11 12 5.5 17.5 11',
  x: 'm6 6 12 12M18 6 6 18',
  plus: 'M12 5v14M5 12h14',
  check: 'm5 12.500 4.500 4.500L19 7.500',
  calendar: 'M3.500 10h17M8 3v4M16 3v4M5.500 5h13a2 2 0 0 1 2 2v11.500a2 2 0 0 1-2 2h-13a2 2 0 0 1-2-2V7a2 2 0 0 1 2-2z',
  clock: 'M12 7v5l3.500 2M12 3.500a8.500 8.500 0 1 1 0 17 8.500 8.500 0 0 1 0-17z',
  filter: 'M4 5h16l-6 7.500V19l-4 1.500v-8z',
  columns: 'M9.200 4.500v15M14.800 4.500v15M5.500 4.500h13a2 2 0 0 1 2 2v11a2 2 0 0 1-2 2h-13a2 2 0 0 1-2-2v-11a2 2 0 0 1 2-2z',
  upload: 'M12 15.500V4.500M7.500 8.500 12 4l4.500 4.500M4 20h16',
  sliders: 'M4 6.500h8M16 6.500h4M14 4.500v4M4 12h3M11 12h9M9 10v4M4 17.500h9M17 17.500h3M15 15.500v4',
  download: 'M12 4v11M7.500 11 12 15.500 16.500 11M4 20h16',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  warn: 'M12 4 2.500 20h19zM12 10v4.500M12 17.500h.01',
  bell: 'M6 16V11a6 6 0 0 1 12 0v5l1.500 2h-15zM10 21h4',
  person: 'M12 12.500a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.500 20c1-3.600 4-5.200 7.500-5.200s6.500 1.600 7.500 5.200',
  except: 'M12 3.500a8.500 8.500 0 1 1 0 17 8.500 8.500 0 0 1 0-17zM6 6l12 12',
  spark: 'M12 3v6M12 15v6M3 12h6M15 12h6M6 6l3 3M15 15l3 3M18 6l-3 3M9 15l-3 3',
  doc: 'M6 3.500h8l4 4V20.500H6zM14 3.500v4h4M9 12h6M9 16h6',
  out: 'M14 4.500h5.500V10M19.500 4.500 11 13M17 13.500V19a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V8a1 1 0 0 1 1-1h5.500',
  clicks: 'M8 6h13M8 12h13M8 18h13M3.500 6h.01M3.500 12h.01M3.500 18h.01',
  campaigns: 'M4 12h5c4 0 4-6 8-6h3M9 12c4 0 4 6 8 6h3M17 3l3 3-3 3M17 15l3 3-3 3',
  offers: 'M12.500 3H20a1 1 0 0 1 1 1v7.500L12 20.500 3.500 12zM16.500 7.500h.01',
  landers: 'M3.500 9h17M5.500 4.500h13a2 2 0 0 1 2 2v11a2 2 0 0 1-2 2h-13a2 2 0 0 1-2-2v-11a2 2 0 0 1 2-2z',
  sources: 'M4 12h10M10 8l4 4-4 4M14 4.500h4.500a1 1 0 0 1 1 1v13a1 1 0 0 1-1 1H14',
  networks:
    'M12 8.500a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM5.500 21.500a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM18.500 21.500a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM10.500 8l-3.500 7.500M13.500 8l3.500 7.500',
  search: 'M11 4.500a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13zM16 16l4.500 4.500',
  copy: 'M10 8h8a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-8a2 2 0 0 1-2-2v-8a2 2 0 0 1 2-2zM16 8V5a1 1 0 0 0-1-1H5a1 1 0 0 0-1 1v10a1 1 0 0 0 1 1h3',
  upward: 'm6 15 6-6 6 6',
  grip: 'M9 6h.01M9 12h.01M9 18h.01M15 6h.01M15 12h.01M15 18h.01',
  pin: 'M12 16v5M7 16h10l-2-4V5.500l1-1.500H8l1 1.500V12z',
  globe:
    'M12 3.500a8.500 8.500 0 1 1 0 17 8.500 8.500 0 0 1 0-17zM3.500 12h17M12 3.500c3 2.500 4 5.500 4 8.500s-1 6-4 8.500c-3-2.500-4-5.500-4-8.500s1-6 4-8.500z',
  plug: 'M9 3.500v5M15 3.500v5M6.500 8.500h11V12a5.500 5.500 0 0 1-11 0zM12 17.500v3',
  play: 'M7 4.500 19 12 7 19.500z',
  pause: 'M8 5v14M16 5v14',
  edit: 'M4 20h4L19.500 8.500l-4-4L4 16z',
  trash: 'M4.500 7h15M9.500 7V4.500h5V7M6.500 7l1 13h9l1-13M10 11v5M14 11v5',
  back: 'm15 6-6 6 6 6',
  dice: 'M6 4h12a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2zM9 9h.01M15 15h.01M15 9h.01M9 15h.01',
  hook: 'M4 12h9.500M9.500 7.500 14 12l-4.500 4.500M18.500 5v14',
  bot: 'M5 9h14v10H5zM12 5v4M9 13.500h.01M15 13.500h.01M2.500 13v3M21.500 13v3',
  goal: 'M6 21V4M6 5h12l-2.500 3.500L18 12H6',
  link: 'M10 13.500a4 4 0 0 0 6 .5l3-3a4 4 0 0 0-5.700-5.700L12 6.500M14 10.500a4 4 0 0 0-6-.5l-3 3a4 4 0 0 0 5.700 5.700l1.300-1.200',
  key: 'M7.500 8.500a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7zM11 12h9.500v3.500M16.500 12v3',
  ban: 'M8 3.500h8L20.500 8v8L16 20.500H8L3.500 16V8zM8 12h8',
  table: 'M3.500 9.500h17M3.500 14.500h17M9 4.500v15M5.500 4.500h13a2 2 0 0 1 2 2v11a2 2 0 0 1-2 2h-13a2 2 0 0 1-2-2v-11a2 2 0 0 1 2-2z',
}
export type IconName = keyof typeof paths

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="i" viewBox="0 0 24 24" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
)

// Sign is an icon on a round ground. tone is the class of its colour.
export const Sign = ({ name, tone }: { name: IconName; tone?: string }) => (
  <span class={tone ? 'ico ' + tone : 'ico'}>
    <Icon name={name} />
  </span>
)

export const Mark = () => (
  <svg viewBox="0 0 24 24" aria-hidden="true">
    <rect width="24" height="24" rx="6.5" fill="var(--accent-fill)" />
    <path d="M4 15.5h5.500c4 0 4-7 8-7H20M9.500 15.500H20" fill="none" stroke="#fff" stroke-width="2.2" stroke-linecap="round" />
  </svg>
)
