import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { Section } from '../site/section.tsx'

/** Four features, each with an illustration. */
export function Features() {
  return (
    <Section
      anchor="features"
      title="An alert you can hold us to"
      className="phone:[animation:not-yet_1ms_400ms_backwards] [contain-intrinsic-block-size:1204px]"
    >
      <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
        <Feature title="Payments that cannot be lost" art={<PaymentArt />}>
          The server watches the chain itself. Close the page right after you pay, and your plan still starts.
        </Feature>
        <Feature title="A stream without gaps" art={<StreamArt />}>
          Every alert has its place in the stream. After a lost connection you receive the missed alerts, in order and
          once.
        </Feature>
        <Feature title="Proof you can check" art={<LadderArt />}>
          A signature, a Merkle path and an anchor on chain. Six checks show whether all three are valid.
        </Feature>
        <Feature title="One command to run" art={<CommandArt />}>
          Host it yourself. Tocsin includes a database, a chain and a feed, which you can replace later.
        </Feature>
      </ul>
    </Section>
  )
}

function Feature({ title, art, children }: { title: string; art: ReactNode; children: ReactNode }) {
  return (
    <li className="corner-ticks flex flex-col border border-line-1 bg-ink-1 p-6 phone:p-5">
      <div aria-hidden className="grid h-32 place-items-center">
        {art}
      </div>
      <h3 className="mt-5 text-lead font-semibold">{title}</h3>
      <p className="mt-1 text-body text-2">{children}</p>
    </li>
  )
}

/**
 * A row of blocks: one block contains the transfer, and the blocks after it confirm the transfer.
 */
function PaymentArt() {
  return (
    <svg aria-hidden viewBox="0 0 232 96" className="w-full max-w-58" fill="none">
      <path d="M0 40.5H232" className="stroke-line-2" />
      {[0, 1, 2, 3, 4].map((block) => (
        <rect
          key={block}
          x={4.5 + block * 48}
          y={24.5}
          width={32}
          height={32}
          className={
            block === 2
              ? 'fill-text-1 stroke-text-1'
              : block > 2
                ? 'fill-ink-3 stroke-text-2'
                : 'fill-ink-1 stroke-line-2'
          }
        />
      ))}
      <path d="m109 41 5 5 9-10" strokeWidth={2} className="stroke-ink-1" />
      <path d="M116.5 60v14" className="stroke-text-2" />
      <ArtText x={116.5} y={88} className="fill-text-1">
        10 ITO
      </ArtText>
      <ArtText x={164.5} y={74}>
        +1
      </ArtText>
      <ArtText x={212.5} y={74}>
        +2
      </ArtText>
    </svg>
  )
}

/** Five alerts in order, including two that were issued while the connection was down. */
function StreamArt() {
  return (
    <svg aria-hidden viewBox="0 0 232 96" className="w-full max-w-58" fill="none">
      <pattern id="gap-hatch" width={4} height={4} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <path d="M0 0V4" className="stroke-line-2" strokeWidth={1.5} />
      </pattern>
      <rect x={92.5} y={12.5} width={96} height={52} fill="url(#gap-hatch)" className="stroke-line-2" />
      <path d="M0 64.5H232" className="stroke-line-2" />
      {[22, 32, 26, 38, 30].map((height, index) => {
        const x = 20.5 + index * 48
        return (
          <g key={x}>
            <path d={`M${x} 64V${64 - height}`} className="stroke-text-1" strokeWidth={1.5} />
            <path d={`M${x} ${60 - height}l5 5-5 5-5-5Z`} className="fill-text-1" />
            <ArtText x={x} y={84}>
              {String(index + 1)}
            </ArtText>
          </g>
        )
      })}
    </svg>
  )
}

/** A Merkle path from an alert to the root. */
function LadderArt() {
  return (
    <svg aria-hidden viewBox="0 0 96 112" className="h-28" fill="none">
      <path d="M8 32H88M8 58H88M8 84H88" className="stroke-line-2" />
      <path d="M48 12V20H88V32H48V46H8V58H48V72H88V84H48V98" className="stroke-seal" strokeWidth={1.5} />
      <path d="M42 2h12v12H42Z" className="fill-seal" />
      <path d="M84 28h8v8h-8ZM4 54h8v8H4ZM84 80h8v8h-8Z" className="fill-seal" />
      <path d="M4.5 28.5h7v7h-7ZM84.5 54.5h7v7h-7ZM4.5 80.5h7v7h-7Z" className="fill-ink-1 stroke-text-3" />
      <path d="m48 27 5 5-5 5-5-5ZM48 53l5 5-5 5-5-5ZM48 79l5 5-5 5-5-5Z" className="fill-seal" />
      <circle cx={48} cy={103} r={6} className="fill-ink-1 stroke-seal" strokeWidth={1.5} />
    </svg>
  )
}

/** Terminal output of the start command. */
function CommandArt() {
  return (
    <div className="w-full max-w-58 border border-line-2 bg-ink-0 px-4 py-3 text-data text-2">
      <p className="mb-1.5 text-1">
        <span className="text-2">$</span> npm start
      </p>
      {['database', 'chain', 'feed'].map((part) => (
        <p key={part} className="flex items-center gap-2">
          <Check size={12} strokeWidth={3} className="text-ok" />
          {part}
        </p>
      ))}
    </div>
  )
}

interface ArtTextProps {
  x: number
  y: number
  children: string
  className?: string
}

function ArtText({ x, y, children, className = 'fill-text-2' }: ArtTextProps) {
  return (
    <text x={x} y={y} textAnchor="middle" className={`font-mono text-[11px] ${className}`}>
      {children}
    </text>
  )
}
