/** Title of the dashboard in the header. On narrow screens the subtitle is in the page instead. */
export function DashboardHeading() {
  return (
    <div>
      <h1 className="text-lead/5 font-semibold [font-stretch:90%] phone:text-body/4 phone:[font-stretch:85%]">
        Market Insights Dashboard
      </h1>
      <DashboardSubtitle className="text-[11px]/3.5 max-xl:hidden" />
    </div>
  )
}

export function DashboardSubtitle({ className }: { className: string }) {
  return <p className={`text-2 ${className}`}>Real-time anomaly detection and market signals</p>
}
