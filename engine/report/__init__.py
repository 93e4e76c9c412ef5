"""A report of results for people who have no studio: HTML, Markdown or JSON, whole in one file."""

from engine.report.report import Report, ReportSource, build_report, report_json
from engine.report.report_page import html_report, markdown_report

__all__ = ["Report", "ReportSource", "build_report", "html_report", "markdown_report", "report_json"]
