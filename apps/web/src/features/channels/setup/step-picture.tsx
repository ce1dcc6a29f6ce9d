/**
 * Content of the picture of a step. It shows what the user sees in the receiving service, the
 * browser or the device: a menu with the entry to choose, a field with the button beside it, or a
 * message.
 */
export type Picture =
  | { shape: 'menu'; entries: readonly string[]; chosen: number }
  | { shape: 'field'; label: string; value: string; button?: string }
  | { shape: 'message'; from: string; text: string; button?: string }

const WIDTH = 168
const HEIGHT = 84

/**
 * Draws a picture. It is hidden from screen readers, because the text of the step says the same.
 */
export function StepPicture({ picture }: { picture: Picture }) {
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      className="w-full border border-line-1 bg-ink-0 fill-text-2 font-sans text-[9px]"
    >
      {picture.shape === 'menu' && <Menu {...picture} />}
      {picture.shape === 'field' && <Field {...picture} />}
      {picture.shape === 'message' && <Message {...picture} />}
    </svg>
  )
}

function Menu({ entries, chosen }: Extract<Picture, { shape: 'menu' }>) {
  return entries.map((entry, index) => (
    <g key={entry} transform={`translate(12 ${12 + index * 21})`}>
      <rect
        width={WIDTH - 24}
        height={18}
        className={index === chosen ? 'fill-ink-3 stroke-signal' : 'fill-ink-2'}
        strokeWidth={1}
      />
      <text x={8} y={12.5} className={index === chosen ? 'fill-text-1 font-semibold' : 'fill-text-2'}>
        {entry}
      </text>
    </g>
  ))
}

function Field({ label, value, button }: Extract<Picture, { shape: 'field' }>) {
  return (
    <>
      <text x={12} y={20}>
        {label}
      </text>
      <rect x={12} y={26} width={WIDTH - 24} height={20} className="fill-ink-2 stroke-line-2" />
      <text x={18} y={39.5} className="fill-text-1 font-mono text-[8px]">
        {value}
      </text>
      {button !== undefined && <Press x={12} y={54} width={WIDTH - 24} text={button} />}
    </>
  )
}

function Message({ from, text, button }: Extract<Picture, { shape: 'message' }>) {
  const middle = button === undefined ? 14 : 0
  return (
    <g transform={`translate(0 ${middle})`}>
      <circle cx={24} cy={26} r={10} className="fill-ink-3 stroke-line-2" />
      <path d="M20 29v-4a4 4 0 0 1 8 0v4zm3 1.5h2" className="fill-none stroke-text-1" />
      <text x={42} y={22} className="font-semibold">
        {from}
      </text>
      <text x={42} y={36} className="fill-text-1">
        {text}
      </text>
      {button !== undefined && <Press x={42} y={54} width={WIDTH - 54} text={button} />}
    </g>
  )
}

function Press({ x, y, width, text }: { x: number; y: number; width: number; text: string }) {
  return (
    <>
      <rect {...{ x, y, width }} height={18} className="fill-ink-3 stroke-signal" />
      <text x={x + width / 2} y={y + 12.5} textAnchor="middle" className="fill-text-1 font-semibold">
        {text}
      </text>
    </>
  )
}
