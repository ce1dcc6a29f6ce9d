import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { paths } from '../paths.ts'
import { classNames } from '../ui/class-names.ts'
import { Mark } from '../ui/identity/logo.tsx'
import { useIsPhone, useMediaQuery } from '../ui/media-query.ts'
import { SkipLink } from '../ui/skip-link.tsx'
import { MobileNavigation, SidebarNavigation } from './navigation.tsx'

export type AppShellProps = {
  /** Number of unread alerts, shown in the navigation. */
  unread?: number
  /** `LiveStatus`, in the header. */
  live: ReactNode
  /**
   * Mute and help buttons, next to `live`. They are loaded late, and placed so that they do not
   * shift the layout.
   */
  tools: ReactNode
  /** Wallet badge, in the header. */
  wallet: ReactNode
  /** Token balance chip, in the header. */
  balance?: ReactNode
  subscribe: ReactNode
  /** Name of the account and the logout button (`Welcome`). */
  welcome: ReactNode
  /** The pulse timeline, on pages that show it. */
  pulse?: ReactNode
  /**
   * The heading of a page that fills the screen, or null until it is known. Pages that do not fill
   * the screen leave `heading` undefined. On a page that fills the screen, the header has less
   * height, the page renders `live` itself, and on narrow screens the account rows are below the
   * page.
   */
  heading?: ReactNode
  /** `LogStatus`, at the bottom of the sidebar. */
  logStatus: ReactNode
  /** `WalletStatus`, at the bottom of the sidebar. */
  walletStatus: ReactNode
  children: ReactNode
}

/**
 * Classes of the page area. Below 1024 px the page fills the screen between header and bottom bar,
 * so that the footer does not move while a page loads.
 */
const pageClasses = 'min-w-0 flex-1 outline-none'
const paddedPageClasses = 'p-6 max-lg:min-h-[calc(100dvh-209px)] phone:px-4 phone:py-5'
const wideGridClasses = 'grid-cols-[64px_minmax(0,1fr)] wide:grid-cols-[224px_minmax(0,1fr)]'

/** Layout of all signed-in pages: sidebar and header, or header and bottom bar below 1024 px. */
export function AppShell(props: AppShellProps) {
  const isWide = useMediaQuery('(width >= 64rem)')
  const { pulse, heading, children } = props
  // On phones the header has no space for the tools.
  const hasActionsInHeader = !useIsPhone() && heading !== undefined
  return (
    <>
      <SkipLink />
      {/* The page keeps its position in the tree at every width, so that rotating a phone does
          not reset a form. */}
      <div className={isWide ? `grid min-h-dvh ${wideGridClasses}` : 'flex min-h-dvh flex-col'}>
        {isWide && <Sidebar {...props} />}
        <div className="flex min-w-0 flex-1 flex-col">
          {isWide ? <WideHeader {...props} /> : <NarrowHeader {...props} tools={hasActionsInHeader && props.tools} />}
          {pulse}
          {!isWide && heading === undefined && <AccountRows {...props} />}
          <main id="page" tabIndex={-1} className={classNames(pageClasses, heading === undefined && paddedPageClasses)}>
            {children}
          </main>
          {!isWide && heading !== undefined && (
            <AccountRows {...props} live={null} tools={!hasActionsInHeader && props.tools} />
          )}
          {!isWide && <NarrowFooter {...props} />}
        </div>
      </div>
    </>
  )
}

type PrerenderedShellProps = Pick<AppShellProps, 'pulse' | 'heading' | 'children'>

/**
 * The prerendered layout without user data. Contains the wide and the narrow layout. CSS shows the
 * one that fits the window before scripts are loaded.
 */
export function PrerenderedShell({ pulse, heading, children }: PrerenderedShellProps) {
  const slots = { live: null, tools: null, wallet: null, subscribe: null, welcome: null, logStatus: null }
  const props: AppShellProps = { ...slots, walletStatus: null, heading, children }
  return (
    <div className={`min-h-dvh max-lg:flex max-lg:flex-col lg:grid ${wideGridClasses}`}>
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
        <div className={heading === undefined ? 'contents lg:hidden' : 'hidden'}>
          <AccountRows {...props} />
        </div>
        <main className={classNames(pageClasses, heading === undefined && paddedPageClasses)}>{children}</main>
        <div className="contents lg:hidden">
          <NarrowFooter {...props} />
        </div>
      </div>
    </div>
  )
}

/**
 * The sidebar. Below 1400 px it shows only icons; their labels stay available to screen readers.
 */
function Sidebar({ unread = 0, logStatus, walletStatus, heading }: AppShellProps) {
  return (
    <aside className="sticky top-0 flex h-dvh flex-col border-r border-line-1">
      <Link
        to={paths.home}
        className={classNames(
          'focus-inset flex shrink-0 items-center gap-3 border-b border-line-1 px-4.5 max-wide:justify-center max-wide:px-0',
          heading === undefined ? 'h-16' : 'h-12',
        )}
      >
        <Mark size={heading === undefined ? 32 : 28} />
        <span className="max-wide:sr-only">
          <span className="block text-body font-semibold">Tocsin</span>
          <span className="block text-hint/4 text-2">Market Intelligence</span>
        </span>
      </Link>
      <SidebarNavigation unread={unread} />
      <div className="mt-auto">
        <div className="flex h-18 items-center border-t border-line-1 px-5 max-wide:px-3">{logStatus}</div>
        <div className="flex min-h-16 items-center border-t border-line-1 px-5 max-wide:px-0">{walletStatus}</div>
      </div>
    </aside>
  )
}

function WideHeader({ live, tools: toolButtons, wallet, balance, subscribe, welcome, heading }: AppShellProps) {
  return (
    <header
      data-shell-header
      className={classNames(
        'sticky top-0 z-20 flex shrink-0 items-center gap-2 border-b border-line-1 bg-ink-0',
        heading === undefined ? 'h-16 px-6' : 'h-12 px-4',
      )}
    >
      {heading === undefined ? (
        <div className="mr-auto pl-2 lg:max-xl:shrink-0 xl:min-w-0">{live}</div>
      ) : (
        <div className="mr-auto shrink-0">{heading}</div>
      )}
      {toolButtons}
      {wallet}
      {balance}
      {subscribe}
      <span aria-hidden className="mx-2 h-6 w-px bg-line-1" />
      {welcome}
    </header>
  )
}

function NarrowHeader({ tools: toolButtons, balance, subscribe, heading }: AppShellProps) {
  return (
    <header
      data-shell-header
      className="sticky top-0 z-20 flex h-14 shrink-0 items-center gap-2 border-b border-line-1 bg-ink-0 px-6 phone:px-4"
    >
      <Link
        to={paths.home}
        className={classNames(
          'flex h-11 items-center gap-3 text-lead font-semibold',
          heading === undefined && 'mr-auto',
        )}
      >
        <Mark size={24} />
        <span className={heading === undefined ? undefined : 'sr-only'}>Tocsin</span>
      </Link>
      {heading !== undefined && <div className="mr-auto min-w-0">{heading}</div>}
      {toolButtons}
      {balance}
      {subscribe}
    </header>
  )
}

function AccountRows({ welcome, wallet, live, tools: toolButtons }: AppShellProps) {
  return (
    <section
      aria-label="Account"
      className="divide-y divide-line-1 border-b border-line-1 px-6 *:flex phone:px-4 *:min-h-11 *:items-center *:justify-between *:gap-3"
    >
      <div>{welcome}</div>
      <div className="gap-y-0! max-[374px]:flex-wrap">
        {wallet}
        <div className="flex min-h-8 min-w-min flex-1 items-center justify-end gap-3">
          {toolButtons}
          {live}
        </div>
      </div>
    </section>
  )
}

function NarrowFooter({ unread = 0, logStatus, walletStatus }: AppShellProps) {
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

/** Container of the pulse timeline. Reserves its height while it loads. */
export function PulseFrame({ children }: { children?: ReactNode }) {
  return (
    <section
      aria-label="Alerts over time"
      data-pulse-strip
      className="flex h-11 shrink-0 items-center gap-4 border-b border-line-1 pr-4 pl-5 phone:gap-2 phone:px-4"
    >
      {children}
    </section>
  )
}
