"""A report of results for people who have no studio: HTML, Markdown or JSON, whole in one file."""

from engine.report.html_report import html_report
from engine.report.markdown_report import markdown_report
from engine.report.report import Report
from engine.report.report_builder import ReportSource, build_report
from engine.report.report_json import report_json

__all__ = ["Report", "ReportSource", "build_report", "html_report", "markdown_report", "report_json"]
