import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { paths } from './paths.ts'
import { MobileNavigation, SidebarNavigation } from './shell/navigation.tsx'
import { shellTexts } from './texts/shell.tsx'
import { Mark } from './ui/identity/logo.tsx'
import { useMediaQuery } from './ui/media-query.ts'
import { SkipLink } from './ui/skip-link.tsx'

const texts = shellTexts.appShell

export type AppShellProps = {
  /** Unread alerts, beside Notifications. */
  unread?: number
  /** `LiveStatus`, at the left of the header. */
  live: ReactNode
  /** Mute and help: beside `live`, where they push nothing aside when they come. */
  tools: ReactNode
  /** Wallet badge, in the header. */
  wallet: ReactNode
  /** Token balance chip, in the header. */
  balance?: ReactNode
  subscribe: ReactNode
  /** `Welcome`, with the logout button. */
  welcome: ReactNode
  /** `PulseLine`, on the pages that have it. */
  pulse?: ReactNode
  /** `LogStatus`, at the foot of the sidebar. */
  logStatus: ReactNode
  /** `WalletStatus`, at the foot of the sidebar. */
  walletStatus: ReactNode
  children: ReactNode
}

/** Under 1024 px it fills the screen between header and bottom bar: the foot below it does not jump while a page loads. */
const pageClasses = 'min-w-0 flex-1 p-6 outline-none max-lg:min-h-[calc(100dvh-209px)] phone:px-4 phone:py-5'

/** The frame of all signed-in pages: sidebar and header, or header and bottom bar under 1024 px. */
export function AppShell(props: AppShellProps) {
  const wide = useMediaQuery('(width >= 64rem)')
  return (
    <>
      <SkipLink />
      {/* The page keeps its place in the tree at every width: turning a phone must not empty a form. */}
      <div className={wide ? 'grid min-h-dvh grid-cols-[224px_minmax(0,1fr)]' : 'flex min-h-dvh flex-col'}>
        {wide && <Sidebar {...props} />}
        <div className="flex min-w-0 flex-1 flex-col">
          {wide ? <WideHeader {...props} /> : <NarrowHeader {...props} />}
          {props.pulse !== undefined && <PulseStrip>{props.pulse}</PulseStrip>}
          {!wide && <AccountRows {...props} />}
          <main id="page" tabIndex={-1} className={pageClasses}>
            {props.children}
          </main>
          {!wide && <NarrowFoot {...props} />}
        </div>
      </div>
    </>
  )
}

type DrawnShellProps = Pick<AppShellProps, 'pulse' | 'children'>

/** The frame with nobody in it, for either width: styles show one. Drawn at build time, so that the page stands before its scripts are there. */
export function DrawnShell({ pulse, children }: DrawnShellProps) {
  const slots = { live: null, tools: null, wallet: null, subscribe: null, welcome: null, logStatus: null }
  const props: AppShellProps = { ...slots, walletStatus: null, children }
  return (
    <div className="min-h-dvh max-lg:flex max-lg:flex-col lg:grid lg:grid-cols-[224px_minmax(0,1fr)]">
      <div className="contents max-lg:hidden">
        <Sidebar {...props} />
      </div>
      <div className="flex min-w-0 flex-1 flex-col">
        <div className="contents max-lg:hidden">
          <WideHeader {...props} />
        </div>
        <div className="contents lg:hidden">
          <NarrowHeader {...props} />
        </div>
        {pulse}
        <div className="contents lg:hidden">
          <AccountRows {...props} />
        </div>
        <main className={pageClasses}>{children}</main>
        <div className="contents lg:hidden">
          <NarrowFoot {...props} />
        </div>
      </div>
    </div>
  )
}

function Sidebar({ unread = 0, logStatus, walletStatus }: AppShellProps) {
  return (
    <aside className="sticky top-0 flex h-dvh flex-col border-r border-line-1">
      <Link to={paths.home} className="focus-inset flex h-16 shrink-0 items-center gap-3 border-b border-line-1 px-4.5">
        <Mark size={32} />
        <span>
          <span className="block text-body font-semibold">Tocsin</span>
          <span className="block text-hint text-2">{texts.marketIntelligence}</span>
        </span>
      </Link>
      <SidebarNavigation unread={unread} />
      <div className="mt-auto">
        <div className="flex h-18 items-center border-t border-line-1 px-5">{logStatus}</div>
        <div className="flex h-16 items-center border-t border-line-1 px-5">{walletStatus}</div>
      </div>
    </aside>
  )
}

function WideHeader({ live, tools, wallet, balance, subscribe, welcome }: AppShellProps) {
  return (
    <header
      data-shell-header
      className="sticky top-0 z-20 flex h-16 shrink-0 items-center gap-2 border-b border-line-1 bg-ink-0 px-6"
    >
      <div className="mr-auto pl-2 xl:min-w-0">{live}</div>
      {tools}
      {wallet}
      {balance}
      {subscribe}
      <span aria-hidden className="mx-2 h-6 w-px bg-line-1" />
      {welcome}
    </header>
  )
}

function NarrowHeader({ balance, subscribe }: AppShellProps) {
  return (
    <header
      data-shell-header
      className="sticky top-0 z-20 flex h-14 shrink-0 items-center gap-2 border-b border-line-1 bg-ink-0 px-6 phone:px-4"
    >
      <Link to={paths.home} className="mr-auto flex h-11 items-center gap-3 text-lead font-semibold">
        <Mark size={24} />
        Tocsin
      </Link>
      {balance}
      {subscribe}
    </header>
  )
}

function AccountRows({ welcome, wallet, live, tools }: AppShellProps) {
  return (
    <section
      aria-label={texts.account}
      className="divide-y divide-line-1 border-b border-line-1 px-6 *:flex phone:px-4 *:min-h-11 *:items-center *:justify-between *:gap-3"
    >
      <div>{welcome}</div>
      <div className="gap-y-0! max-[374px]:flex-wrap">
        {wallet}
        <div className="flex min-h-8 min-w-min flex-1 items-center justify-end gap-3">
          {tools}
          {live}
        </div>
      </div>
    </section>
  )
}

function NarrowFoot({ unread = 0, logStatus, walletStatus }: AppShellProps) {
  return (
    <>
      <footer className="divide-y divide-line-1 border-t border-line-1 px-6 *:flex *:min-h-16 *:items-center phone:px-4">
        <div>{logStatus}</div>
        <div>{walletStatus}</div>
      </footer>
      <MobileNavigation unread={unread} />
    </>
  )
}

/** Keeps the height of the pulse line while there is none to draw yet. */
export function PulseStrip({ children }: { children?: ReactNode }) {
  return (
    <section
      aria-label={texts.alertsOfTheLast24}
      data-pulse-strip
      className="h-19 shrink-0 border-b border-line-1 px-6 py-2.5 phone:px-4"
    >
      {children}
    </section>
  )
}
