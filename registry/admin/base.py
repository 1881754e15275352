"""What the registry's admin pages share."""

from typing import Any, ClassVar

from django.contrib import admin
from django.http import HttpRequest

from registry.admin.paging import CappedPaginator


class RegistryAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs alone
    """A page over a table that may be large: counts are capped, and only indexed columns sort."""

    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    paginator = CappedPaginator
    list_per_page = 50
    list_max_show_all = 0
    sortable_by: ClassVar[tuple[str, ...]] = ()


class PermanentAdmin(RegistryAdmin):
    """Rows that the registry adds itself and that are never deleted."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ReadOnlyAdmin(PermanentAdmin):
    """Rows of the audit, and rows that machines keep: people look."""

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
